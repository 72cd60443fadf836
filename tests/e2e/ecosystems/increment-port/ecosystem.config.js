module.exports = {
  apps: [{
    name: "node",
    script: "server.js",
    instances: 3,
    exec_mode: "fork",
    port: @PORT@,
    increment_var: "PORT",
    instance_var: "INSTANCE_ID",
  }],
};
