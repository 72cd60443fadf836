module.exports = {
  apps: [
    {
      name: "shop",
      script: "./app.js",
      env: { NODE_ENV: "development", PORT: 3000 },
      env_production: { NODE_ENV: "production" },
    },
  ],

  // For `pm2 deploy`.
  deploy: {
    production: {
      user: "node",
      host: ["192.0.2.10", "192.0.2.11"],
      ref: "origin/main",
      repo: "git@example.com:shop.git",
      path: "/var/www/shop",
      "post-deploy": "npm ci && pm2 startOrReload ecosystem.config.js --env production",
    },
  },
};
