// Program of a user of the library, for `runtimes.ts`: runs one turn with a tool in each store, opens the session again,
// and prints what happened as JSON. The file has no types of its own, because it is copied to a release as JavaScript.
// Arguments: the address of the simulator, and a folder for sessions.

import { createAgent, createMemoryStore, defineTool, openNdjsonStore, TidemarkError } from '@tidemark/kit';
import { z } from 'zod';

const [, , baseURL = '', home = ''] = process.argv;
const stores = { memory: createMemoryStore(), disk: openNdjsonStore({ home }) };

const weigh = defineTool({
  name: 'weigh',
  description: 'Returns the weight of an article in grams.',
  input: z.object({ article: z.string() }),
  effect: 'read',
  run: ({ article }) => ({ article, grams: 512 }),
});

for (const [store, log] of Object.entries(stores)) {
  const options = { model: 'claude-sonnet-5-5', apiKey: 'no-real-key', baseURL, store: log, tools: [weigh] };
  const agent = createAgent(options);
  const session = await agent.open();
  const { outcome, text } = await session.prompt('How heavy is the lamp?');
  // A second writer of an open session must be refused.
  const second = createAgent(options);
  const refusal = await second.open(session.id).then(
    () => 'none',
    (error) => (error instanceof TidemarkError ? error.code : String(error)),
  );
  await Promise.all([agent.close(), second.close()]);
  const third = createAgent(options);
  const messages = await Array.fromAsync((await third.open(session.id)).messages());
  await third.close();
  console.log(JSON.stringify({ store, outcome, text, refusal, messages: messages.length }));
}
