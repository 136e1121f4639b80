// Prints the fronts that three agents send, and the messages of the first agent's first request, as one line of JSON.
// Runs in a separate process, with one turn per agent: `node print-front.ts <workspace> <mode> <now>`

import type { Mode } from '@tidemark/agent';
import { THIS_MACHINE } from '@tidemark/agent';
import type { AgentOptions } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import { timestamp } from '@tidemark/log';
import type { ReceivedRequest } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';

const [workspace = '', word = '', now = ''] = process.argv.slice(2);
const modes: readonly Mode[] = ['read-only', 'ask', 'auto'];
const mode = modes.find((one) => one === word) ?? 'read-only';
const AGENTS: Readonly<Record<string, Pick<AgentOptions, 'model'> & Partial<AgentOptions>>> = {
  plain: { model: 'claude-sonnet-4-5' },
  padded: {
    model: 'claude-haiku-4-5',
    cache: { padding: 'always' },
    instructions: 'You keep the tax code of a shop right.',
  },
  minimal: { model: 'claude-sonnet-4-5', context: { runtimeInstructions: 'minimal' } },
};
const sent: ReceivedRequest[] = [];
const simulator = createSimulator({
  onRequest: (request) => {
    sent.push(request);
    return { answer: { text: 'Done.' } };
  },
});
const server = await simulator.listen();
for (const options of Object.values(AGENTS)) {
  const agent = createAgent({
    apiKey: 'not-a-key',
    baseURL: server.url,
    workspace,
    permissions: { mode, ...(mode === 'ask' && { ask: () => Promise.resolve('denied') }) },
    ...options,
    host: { clock: { ...THIS_MACHINE, now: () => timestamp(now) }, ...options.host },
  });
  const session = await agent.open();
  await session.prompt('What is here?');
  await agent.close();
}
await server.close();
const fronts = Object.keys(AGENTS).map((name, index) => {
  const { system, tools } = sent[index]?.body ?? {};
  return [name, JSON.stringify([tools, system])];
});
const messages = JSON.stringify(sent[0]?.body['messages']);
process.stdout.write(`${JSON.stringify({ fronts: Object.fromEntries(fronts), messages })}\n`);
