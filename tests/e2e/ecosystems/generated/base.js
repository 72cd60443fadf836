module.exports = { script: "consumer.js", autorestart: true, kill_timeout: 1000 };
