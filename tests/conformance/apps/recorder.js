// recorder.js FILE: appends a line for its start, each signal and each message; SIGINT, SIGTERM and `shutdown` end it.
const fs = require('fs');
const write = (line) => fs.appendFileSync(process.argv[2], line + '\n');
for (const name of ['SIGINT', 'SIGTERM']) {
  process.on(name, () => {
    write(name);
    process.exit(0);
  });
}
process.on('message', (message) => {
  write(`message ${message}`);
  if (message === 'shutdown') process.exit(0);
});
setInterval(() => {}, 1000);
write('start');
