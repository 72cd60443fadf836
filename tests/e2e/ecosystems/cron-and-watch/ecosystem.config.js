module.exports = {
  apps: [
    { name: "nightly", script: "job.sh", cron_restart: "0 3 * * *", autorestart: true },
    {
      name: "dev",
      script: "app.js",
      watch: ["src"],
      ignore_watch: ["node_modules", "logs"],
      watch_delay: 1000,
      max_memory_restart: "1G",
    },
  ],
};
