module.exports = {
  apps: [{
    name: "logger",
    script: "run.sh",
    log_date_format: "YYYY-MM-DD HH:mm:ss Z",
    output: "./logs/out.log",
    error: "./logs/err.log",
    merge_logs: true,
    time: true,
  }],
};
