// A conversation with two providers: a fork continues with another model, and then switches back to the first model.

import { createAgent } from '@tidemark/kit';

const agent = createAgent({
  model: 'claude-sonnet-5-5',
  host: { environment: process.env },
  baseURL: process.env['ANTHROPIC_BASE_URL'] ?? 'https://api.anthropic.com',
});
const session = await agent.open();
const turn = session.prompt('Order A-17 came broken. What would you do?');
for await (const piece of turn.textStream) process.stdout.write(piece);
console.log();

const openai = { baseURL: process.env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1' };
const other = await session.fork({ model: 'gpt-6.1-sol', ...openai });
console.log((await other.prompt('And you?')).text);

await other.setModel('claude-sonnet-5-5');
console.log((await other.prompt('Do you agree?')).text);
await agent.close();
