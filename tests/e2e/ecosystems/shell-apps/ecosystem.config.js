module.exports = {
  apps: [
    { name: "script", script: "./start.sh", args: "one 'two three'" },
    { name: "line", script: "GREETING=hello exec sleep 100000" },
    { name: "program", script: "sleep", args: [100000] },
    { script: "sh start.sh" },
  ],
};
