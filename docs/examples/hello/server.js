#!/usr/bin/env node
// A server that knows nothing of clusterd. PORT is where it listens.
const http = require('http');

const port = Number(process.env.PORT || 3000);
const server = http.createServer((request, response) => response.end(`hello from process ${process.pid}\n`));
server.listen(port, () => console.log(`listening on ${port}`));

// Finish what was begun, then go: with this a reload loses nothing.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.close(() => process.exit(0)));
