// One session with two providers: it goes on with another model, and back.

import { createAgent } from '@tidemark/kit';

const agent = createAgent({
  model: 'claude-sonnet-5-5',
  environment: process.env,
  baseURL: process.env['ANTHROPIC_BASE_URL'] ?? 'https://api.anthropic.com',
});
const session = await agent.open();
console.log((await session.prompt('Order A-17 came broken. What would you do?')).text);

session.switchModel('gpt-6.1-sol', { baseURL: process.env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1' });
console.log((await session.prompt('And you?')).text);

session.switchModel('claude-sonnet-5-5');
console.log((await session.prompt('Do you agree?')).text);
await agent.close();
