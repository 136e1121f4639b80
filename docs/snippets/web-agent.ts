// An agent that reads pages of two hosts and searches the web. It is shown in the guide on the web.

import { createAgent, createBraveSearch } from '@tidemark/kit';

const agent = createAgent({
  model: 'claude-sonnet-5-5',
  web: { search: createBraveSearch({ apiKey: process.env['BRAVE_API_KEY'] }) },
  permissions: {
    mode: 'ask',
    rules: [
      { decision: 'allow', tool: 'fetch', hosts: ['nodejs.org', '*.nodejs.org'] },
      { decision: 'allow', tool: 'web_search' },
    ],
  },
  host: { environment: process.env },
});

const session = await agent.open();
const turn = await session.prompt('Which Node is the current LTS?');
console.log(turn.text);
await agent.close();
