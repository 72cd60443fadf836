const http = require("http");

http.createServer((request, response) => response.end(`hello from ${process.pid}\n`)).listen(process.env.PORT);
