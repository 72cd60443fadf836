const base = require("./base");
const queues = require("./queues.json");

const optional = undefined;

module.exports = {
  apps: Object.entries(queues).map(([queue, instances]) => ({
    ...base,
    name: `queue-${queue}`,
    args: ["--queue", queue],
    instances,
    exec_mode: "fork",
    cwd: optional,
  })),
};
