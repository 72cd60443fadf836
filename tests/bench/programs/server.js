// server.js --port N [--inherit] [--graceful]: HTTP server whose answers begin with the process id. GET /work computes
// a key (PBKDF2, 6,000 rounds) in the main thread first, as a handler that is bound by the CPU does.
// --inherit: listen on descriptor 3. --graceful: on SIGINT or SIGTERM finish what is open, then exit.
'use strict';
const crypto = require('node:crypto');
const http = require('node:http');

const words = process.argv.slice(2);
const port = Number(words[words.indexOf('--port') + 1]);
const ROUNDS = 6000;

const server = http.createServer((request, response) => {
  if (request.url === '/work') crypto.pbkdf2Sync('secret', 'salt', ROUNDS, 64, 'sha512');
  const body = `${process.pid}\n`;
  if (stopping) response.setHeader('Connection', 'close');
  response.setHeader('Content-Length', body.length);
  response.end(body);
});

let stopping = false;
function stop() {
  stopping = true;
  server.close(() => process.exit(0));
  server.closeIdleConnections();
}
if (words.includes('--graceful')) process.on('SIGINT', stop).on('SIGTERM', stop);

server.listen(words.includes('--inherit') ? { fd: 3 } : { port, host: '127.0.0.1', backlog: 4096 });
