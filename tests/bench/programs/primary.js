// primary.js COUNT SCRIPT [ARGUMENT...]: the smallest primary of Node's cluster; replaces workers that end.
'use strict';
const cluster = require('node:cluster');

const [count, exec, ...args] = process.argv.slice(2);
cluster.setupPrimary({ exec, args });
for (let number = 0; number < Number(count); number++) cluster.fork();
cluster.on('exit', () => cluster.fork());
