// Writes its arguments to beacon.ran, then stays.
const fs = require('fs');
fs.writeFileSync('beacon.part', JSON.stringify([process.execArgv, process.argv.slice(2)]));
fs.renameSync('beacon.part', 'beacon.ran');
setInterval(() => {}, 1000);
