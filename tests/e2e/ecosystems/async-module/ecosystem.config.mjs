import { readFile } from "node:fs/promises";

const settings = JSON.parse(await readFile(new URL("./settings.json", import.meta.url), "utf8"));

export default async function () {
  return { apps: [{ name: "esm", script: "app.mjs", max_restarts: settings.restarts, env: settings.env }] };
}
