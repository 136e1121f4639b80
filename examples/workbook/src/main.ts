// Runs the example without an API key. A simulator in this process answers instead of a provider and counts the tokens
// that it reads from its cache.

import type { SessionEvent } from '@tidemark/kit';
import { createSimulator } from '@tidemark/simulator';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSample } from './book-file.ts';
import { bookAgent, PROMPTS, SCENARIO } from './work.ts';

const folder = await mkdtemp(join(tmpdir(), 'workbook-'));
const path = join(folder, 'orders.xlsx');
await writeSample(path);

const simulator = await createSimulator({ scenario: SCENARIO }).listen();
const agent = bookAgent(path, { apiKey: 'simulated', baseURL: simulator.url });
const session = await agent.open();
for (const prompt of PROMPTS) {
  console.log(`\n> ${prompt}`);
  const turn = session.prompt(prompt);
  for await (const event of turn) show(event);
  console.log(`  ${(await turn).text}`);
}
await agent.close();
await simulator.close();
await rm(folder, { recursive: true });

function show(event: SessionEvent): void {
  if (event.type !== 'recorded') return;
  const { kind, data } = event.record;
  if (kind === 'context.noted' && data.source === 'structure')
    console.log(`  [structure ${data.revision}, ${data.cause}]\n${indented(data.body ?? '')}`);
  if (kind !== 'answer.received') return;
  const { read = 0, fresh = 0, writes = [] } = data.usage;
  const written = writes.reduce((sum, { tokens }) => sum + tokens, 0);
  console.log(`  request: ${read} tokens read from the cache, ${written + fresh} new`);
  for (const part of data.parts) if (part.type === 'call') console.log(`  ${part.name} ${part.arguments}`);
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}
