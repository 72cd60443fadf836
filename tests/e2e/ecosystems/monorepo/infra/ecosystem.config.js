module.exports = {
  apps: [
    { name: "api", namespace: "backend", cwd: "../packages/api", script: "src/index.js", instances: 2, exec_mode: "fork" },
    { name: "api", namespace: "legacy", cwd: "../packages/old-api", script: "./serve" },
    { name: "web", namespace: "frontend", cwd: "../packages/web", script: "npm", args: "run serve", kill_timeout: 1000 },
  ],
};
