// A process of its own that runs one turn and prints the front and the first message it sent: one line of JSON.
// `node print-front.ts <workspace> <mode> <now>`

import type { Mode } from '@tidemark/agent';
import { THIS_MACHINE } from '@tidemark/agent';
import { createAgent } from '@tidemark/kit';
import { timestamp } from '@tidemark/log';
import type { SentRequest } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';

const [workspace = '', word = '', now = ''] = process.argv.slice(2);
const modes: readonly Mode[] = ['read-only', 'ask', 'auto'];
const sent: SentRequest[] = [];
const simulator = createSimulator({
  onRequest: (request) => {
    sent.push(request);
    return { answer: { text: 'Done.' } };
  },
});
const server = await simulator.listen();
const agent = createAgent({
  model: 'claude-sonnet-4-5',
  apiKey: 'not-a-key',
  baseURL: server.url,
  workspace,
  permissions: { mode: modes.find((mode) => mode === word) ?? 'read-only' },
  surroundings: { ...THIS_MACHINE, now: () => timestamp(now) },
});
const session = await agent.open();
await session.prompt('What is here?');
await agent.close();
await server.close();
const { system, tools, messages } = sent[0]?.body ?? {};
process.stdout.write(
  `${JSON.stringify({ front: JSON.stringify([tools, system]), messages: JSON.stringify(messages) })}\n`,
);
