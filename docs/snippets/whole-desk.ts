// A complete order desk: sessions stored in a folder, a person who approves calls, limits, and turns that resume after
// a crash.

import { createInterface } from 'node:readline/promises';
import { createAgent } from '@tidemark/kit';
import { findOrder, refund } from './order-tools.ts';

// With `terminal: false`, readline does not handle Ctrl-C, so Ctrl-C remains a signal.
const person = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
const agent = createAgent({
  model: 'claude-sonnet-5-5',
  host: { environment: process.env },
  baseURL: process.env['ANTHROPIC_BASE_URL'] ?? 'https://api.anthropic.com',
  instructions: 'You run the order desk of a lamp shop. Never pay back more than was paid.',
  store: './desk',
  tools: [findOrder, refund],
  limits: { maxSteps: 20, maxCost: 0.5 },
  permissions: {
    mode: 'ask',
    ask: async ({ title }, signal) => {
      const answer = await person.question(`${title}? (y/n) `, { signal });
      return answer === 'y';
    },
  },
  connection: { onRequest: (body) => console.error(`sending ${body.length} bytes`) },
});

const known = process.argv[2];
const session = await agent.open(known);
console.log(`session ${session.id}`);
for await (const { role, text } of session.messages()) if (text !== '') console.error(`${role}: ${text}`);

process.once('SIGINT', () => void session.interrupt());

const turn = known === undefined ? session.prompt('Order A-17 came broken. Pay half of it back.') : session.resume();
for await (const event of turn) {
  if (event.type === 'text.delta') process.stdout.write(event.text);
  if (event.type === 'tool.progressed') console.error(event.text);
  if (event.type === 'notice.raised') console.error(event.notice.message, event.notice.next);
  if (event.type === 'recorded' && event.record.kind === 'tool.returned')
    console.error(`returned after ${event.record.data.durationMs} ms`);
}
const { outcome, totals, error } = await turn;
console.log(`\n${outcome}, ${totals.steps} steps, $${totals.cost}`, error?.next ?? '');

const title = await session.side({
  purpose: 'title',
  prompt: 'Name this conversation in five words.',
  history: 'main',
});
console.log(`${title.text}, $${title.cost}`);

await agent.close();
person.close();
