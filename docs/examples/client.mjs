// A client of docs/protocol.md: client.mjs list | client.mjs start PROGRAM [ARG...] | client.mjs reload NAME
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const home = process.env.CLUSTERD_HOME || path.join(os.homedir(), '.clusterd');

function connect() {
  const socket = net.connect(path.join(home, 'control.sock'));
  const waiting = new Map();
  let lastId = 0;
  let rest = '';
  const receive = (message) => {
    const request = waiting.get(message.id);
    if (!request) return; // the greeting, or an event of a request that is over
    if (!('ok' in message)) return request.onEvent(message);
    waiting.delete(message.id);
    if (message.ok) request.resolve(message.result);
    else request.reject(new Error(message.error.message));
  };
  socket.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    lines.map((line) => JSON.parse(line)).forEach(receive);
  });
  const call = (op, args = {}, onEvent = () => {}) =>
    new Promise((resolve, reject) => {
      waiting.set(++lastId, { resolve, reject, onEvent });
      socket.write(JSON.stringify({ id: lastId, op, args }) + '\n');
    });
  return { call, close: () => socket.end() };
}

const [verb = 'list', ...words] = process.argv.slice(2);
const daemon = connect();
if (verb === 'start') {
  const script = path.resolve(words[0]);
  const app = { name: path.parse(script).name, script, args: words.slice(1), cwd: process.cwd(), inherited_env: process.env };
  const { apps } = await daemon.call('start', { mode: 'new', apps: [app] });
  console.log(apps[0].outcome);
} else if (verb === 'reload') {
  console.log((await daemon.call('reload', { targets: words }, (event) => console.log(event.text))).count);
}
for (const view of (await daemon.call('list')).instances) console.log(view.id, view.name, view.status, view.pid);
daemon.close();
