// Writes whether it is a worker of Node's cluster, and its number, to worker-NUMBER.ran, then stays.
const fs = require('fs');
const number = process.env.NODE_APP_INSTANCE;
fs.writeFileSync(`worker-${number}.part`, `${require('cluster').isWorker} ${number}`);
fs.renameSync(`worker-${number}.part`, `worker-${number}.ran`);
if (process.send) process.send('ready');
setInterval(() => {}, 1000);
