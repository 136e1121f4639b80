// An order desk: an agent with two tools of its own.

import { createAgent, defineTool } from '@tidemark/kit';
import { z } from 'zod';

const paid = new Map([['A-17', 39]]);
const findOrder = defineTool({
  name: 'find_order',
  description: 'Returns the amount that was paid for an order, in euros.',
  input: z.object({ order: z.string() }),
  effect: 'read',
  run: ({ order }) => ({ order, paid: paid.get(order) ?? 'no such order' }),
});
const refund = defineTool({
  name: 'refund',
  description: 'Refunds an amount of an order, in euros.',
  input: z.object({ order: z.string(), euros: z.number().positive() }),
  effect: 'write',
  run: ({ order, euros }) => `Paid ${euros} euros of ${order} back.`,
});

const agent = createAgent({
  model: 'claude-sonnet-5-5',
  host: { environment: process.env },
  baseURL: process.env['ANTHROPIC_BASE_URL'] ?? 'https://api.anthropic.com',
  tools: [findOrder, refund],
  permissions: { mode: 'auto' },
});
const session = await agent.open();
const { outcome, text } = await session.prompt('Order A-17 came broken. Pay it back.');
console.log(`${outcome}: ${text}`);
await agent.close();
