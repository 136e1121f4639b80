// Program that the benchmark `first-prompt` starts: an agent as a user of the kit writes it, with 40 custom tools and
// the skills of a folder. It prints a word to stdout when its first prompt is recorded, and another when the first
// request is about to be sent. It ends after the answer.
//
// `node first-session.ts <home> <skills> <address>`

import type { Tool } from '@tidemark/kit';
import { createAgent, defineTool } from '@tidemark/kit';
import { z } from 'zod';

const [home = '', folder = '', baseURL = ''] = process.argv.slice(2);
const TOOLS = 40;

function ownTool(index: number): Tool {
  const name = `shop_${index}`;
  return defineTool({
    name,
    description: `Finds entries of part ${index} of the shop: orders, customers or payments, the newest first.`,
    input: z.object({
      part: z.enum(['orders', 'customers', 'payments']).describe('Selects the entries.'),
      query: z.string().min(1).describe('Words that an entry must contain.'),
      limit: z.int().min(1).max(100).optional().describe('Maximum number of entries. Default: 20.'),
      between: z.object({ from: z.iso.date(), to: z.iso.date() }).optional().describe('Days, both included.'),
      tags: z.array(z.string()).optional(),
    }),
    effect: 'read',
    run: ({ part, query }) => `no ${part} with ${query}`,
  });
}

const agent = createAgent({
  model: 'claude-sonnet-5-5',
  apiKey: 'simulated',
  baseURL,
  store: { home },
  tools: Array.from({ length: TOOLS }, (_, index) => ownTool(index)),
  skills: { roots: [{ folder, source: 'home' }] },
  connection: { onRequest: () => void process.stdout.write('asked') },
});
const session = await agent.open();
const turn = session.prompt('Which orders of today are not paid?');
for await (const event of turn) {
  if (event.type === 'recorded' && event.record.kind === 'prompt.given') process.stdout.write('taken');
}
const { outcome } = await turn;
await agent.close();
if (outcome !== 'completed') throw new Error(`the turn ended as ${outcome}: the simulator or the program is wrong`);
