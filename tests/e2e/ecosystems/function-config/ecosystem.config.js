const path = require("path");

console.log("this is not part of the configuration");

module.exports = () => ({
  apps: ["orders", "billing"].map((name, index) => ({
    name,
    cwd: path.join(__dirname, "services", name),
    script: "main.js",
    env: { PORT: 4000 + index, SERVICE: name, HOME_DIR: process.env.HOME },
  })),
});
