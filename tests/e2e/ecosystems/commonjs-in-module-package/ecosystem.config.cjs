module.exports = {
  apps: [{ name: "site", script: "server.js", instances: 1, wait_ready: true, listen_timeout: 20000 }],
};
