// A desk that files complaints. A permission rule allows its tool, the answer is a typed value, and a fork asks another
// question.

import { createAgent, defineTool } from '@tidemark/kit';
import { z } from 'zod';

/** Stand-in for a folder: the text of each file, by its path. */
const files = new Map<string, string>();

const fileComplaint = defineTool({
  name: 'file_complaint',
  description: 'Saves a complaint about an order as a file.',
  input: z.object({ order: z.string(), text: z.string() }),
  effect: 'write',
  describeEffects: { paths: ({ order }) => [{ path: `complaints/${order}.txt` }] },
  run: ({ order, text }) => {
    files.set(`complaints/${order}.txt`, text);
    return `Saved complaints/${order}.txt.`;
  },
});

const agent = createAgent({
  model: 'claude-sonnet-5-5',
  host: { environment: process.env },
  baseURL: process.env['ANTHROPIC_BASE_URL'] ?? 'https://api.anthropic.com',
  store: { home: 'desk' },
  tools: [fileComplaint],
  permissions: {
    mode: 'ask',
    rules: [{ decision: 'allow', tool: 'file_complaint', paths: ['complaints/*.txt'] }],
  },
});

const session = await agent.open(process.argv[2] ?? 'complaints', { create: true });

const complaint = z.object({
  order: z.string(),
  fault: z.enum(['broken', 'late', 'wrong']),
  euros: z.number().describe('Amount that the customer asks for.'),
});
const turn = await session.prompt('Order A-17 came broken. I want 39 euros back.', { output: complaint });
if (turn.output !== undefined) console.log(`${turn.output.fault}, ${turn.output.euros.toFixed(2)} euros`);
else console.error(turn.error?.code, turn.error?.message);

const other = await session.fork({ beforePrompt: -1 });
console.log((await other.prompt('Order A-17 came late. What do we owe?')).text);

const plan = await session.compact({ dryRun: true });
console.log(plan.outcome, plan.refused ?? `${plan.sizes.before} to ${plan.sizes.after} tokens`);
await agent.close();
