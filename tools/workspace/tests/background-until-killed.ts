// Starts background processes and waits until it is killed. Arguments: the folder, `auto` or `never` for the sandbox, the
// command, and the number of processes. Prints `started` after each start.

import type { ToolContext } from '@tidemark/agent';
import { createSecrets } from '@tidemark/agent';
import { callId, sessionId, timestamp } from '@tidemark/log';
import { createBackground } from '../src/background/create-background.ts';
import { NO_HISTORY } from './history-of.ts';

const [folder = '', sandbox, command = '', count = '1'] = process.argv.slice(2);
const session = sessionId('killed');
const background = createBackground({ folder, sandbox: sandbox === 'auto' ? 'auto' : 'never' });
background.open(session, {
  secrets: createSecrets({ values: [] }),
  last: 0,
  now: () => timestamp(new Date().toISOString()),
  started: async () => undefined,
  ended: async () => undefined,
  changed: () => undefined,
  notice: () => undefined,
});
const context: ToolContext = {
  session,
  call: callId('call-1'),
  notice: () => undefined,
  signal: new AbortController().signal,
  write: async () => undefined,
  progress: () => undefined,
  mask: async (text) => text,
  fileSeen: () => undefined,
  skills: { preloaded: [], loaded: [] },
  room: () => ({ bytes: 51_200, lines: 2_000 }),
  output: () => undefined,
  history: NO_HISTORY,
};
process.stdout.write('ready\n');
for (let index = 0; index < Number(count); index += 1) {
  await background.start({ command, reach: { network: false, ports: [] } }, context);
  process.stdout.write('started\n');
}
setInterval(() => undefined, 60_000);
