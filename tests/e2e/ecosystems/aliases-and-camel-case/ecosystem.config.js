module.exports = {
  apps: [{
    name: "camel",
    cmd: "run.sh",
    execMode: "fork_mode",
    maxRestarts: "10",
    minUptime: "2s",
    restartDelay: 100,
    killTimeout: "1600",
    outFile: "/dev/null",
    errLog: "NULL",
    combineLogs: true,
    pid: "./camel.pid",
    stopExitCodes: [0, 143],
    autorestart: "true",
  }],
};
