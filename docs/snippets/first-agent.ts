import { createAgent, defineTool } from '@tidemark/kit';
import { z } from 'zod';

const countStock = defineTool({
  name: 'count_stock',
  description: 'Returns how many pieces of an article are in stock.',
  input: z.object({ article: z.string() }),
  effect: 'read',
  run: ({ article }) => ({ article, pieces: article === 'lamp' ? 12 : 0 }),
});
const agent = createAgent({ model: 'claude-sonnet-5-5', tools: [countStock], host: { environment: process.env } });
const session = await agent.open();
const { outcome, text, error } = await session.prompt('How many lamps are in stock?');
console.log(outcome === 'completed' ? text : error?.message);
await agent.close();
