// Runs an agent until its first request and exits before the request is sent. Usage: `node first-request.ts [folder]`,
// where the folder contains skills.

import { createAgent } from '@tidemark/kit';

const [folder] = process.argv.slice(2);
const agent = createAgent({
  model: 'claude-sonnet-5-5',
  apiKey: 'unused',
  ...(folder !== undefined && { skills: { roots: [{ folder, source: 'home' }] } }),
  connection: { onRequest: () => process.exit(0) },
});
const session = await agent.open();
await session.prompt('Hello.');
