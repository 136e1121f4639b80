// Sends a second prompt while a turn runs, and sets another permission mode for the next turn.

import { createAgent } from '@tidemark/kit';
import { findOrder, refund } from './order-tools.ts';

const agent = createAgent({
  model: 'claude-sonnet-5-5',
  host: { environment: process.env },
  baseURL: process.env['ANTHROPIC_BASE_URL'] ?? 'https://api.anthropic.com',
  tools: [findOrder, refund],
  permissions: { mode: 'auto' },
});
const session = await agent.open(undefined, { title: 'the broken lamp' });

const turn = session.prompt('Order A-17 came broken. Pay it back.');
await session.steer('Pay half of it only.');
console.log((await turn).text);

await session.setMode('read-only');
console.log((await session.prompt('Pay the rest too.')).text);
await agent.close();
