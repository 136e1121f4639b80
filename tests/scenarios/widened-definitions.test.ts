// A session that was shown earlier definitions of `read`, `grep` and `edit`. The current definitions allow further
// arguments. The session keeps the definitions that it was shown, without an epoch, and the tools accept both forms.
// `fixtures/definitions-before-issue-21.json` contains the definitions of commit dbb5931f.

import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifySession } from '@tidemark/agent';
import type { Agent } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import { createSimulator } from '@tidemark/simulator';
import type { AnswerPlan, ReceivedRequest } from '@tidemark/simulator';
import { createMemoryStore } from '@tidemark/store-memory';
import type { Tool } from '@tidemark/agent';
import { workspaceTools } from '@tidemark/tools-workspace';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { encoders } from '../laws/server.ts';
import earlier from './fixtures/definitions-before-issue-21.json' with { type: 'json' };

const DEFINITION = z.object({ name: z.string(), description: z.string(), schema: z.json() });

/** Returns the tools with their earlier definitions. */
function asBefore(tools: readonly Tool[]): readonly Tool[] {
  const definitions = z.array(DEFINITION).parse(earlier);
  return tools.map((tool) => ({ ...tool, ...definitions.find(({ name }) => name === tool.name) }));
}

function call(name: string, input: Readonly<Record<string, unknown>>): AnswerPlan {
  return { answer: { calls: [{ name, arguments: input }] } };
}

test('a session keeps the definitions that it was shown, and calls of both forms work in it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-widened-'));
  await writeFile(join(folder, 'a.txt'), 'one\ntwo\nthree\n');
  const edit = {
    path: 'a.txt',
    edits: [
      { old_text: 'one', new_text: '1' },
      { old_text: 'three', new_text: '3' },
    ],
  };
  const plans: AnswerPlan[] = [
    call('edit', { path: 'a.txt', old_text: 'two', new_text: '2' }),
    { answer: { text: 'Done.' } },
    call('edit', edit),
    call('grep', { pattern: '\\d', output: 'counts' }),
    { answer: { text: 'Done.' } },
  ];
  const sent: ReceivedRequest[] = [];
  const simulator = createSimulator({
    onRequest: (request) => {
      sent.push(request);
      return plans.shift() ?? { answer: { text: 'Done.' } };
    },
  });
  const server = await simulator.listen();
  const store = createMemoryStore();
  const bodies: string[] = [];
  const agentWith = (tools: readonly Tool[]): Agent =>
    createAgent({
      model: 'claude-sonnet-4-5',
      apiKey: 'simulated',
      baseURL: server.url,
      store,
      tools,
      permissions: { mode: 'auto' },
      cache: { warm: 'off' },
      connection: { onRequest: (body) => void bodies.push(new TextDecoder().decode(body)) },
    });
  const tools = workspaceTools({ folder });
  const before = agentWith(asBefore(tools));
  const after = agentWith(tools);
  onTestFinished(async () => {
    await before.close();
    await after.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  const first = await before.open();
  await first.prompt('Write digits.');
  await first.close();
  const again = await after.open(first.id);
  await again.prompt('Go on.');

  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('1\n2\n3\n');
  expect(sent.at(-1)?.toolResults.at(-1)?.text).toBe('[3 lines in 1 file]\na.txt: 3');
  const records = await Array.fromAsync(store.read(first.id));
  expect(records.filter(({ kind }) => kind === 'epoch.opened')).toHaveLength(1);
  const fronts = new Set(
    bodies.map((body) => JSON.stringify(z.object({ tools: z.json() }).parse(JSON.parse(body)).tools)),
  );
  expect(fronts.size).toBe(1);
  expect([...fronts][0]).not.toContain('counts');
  const { differences } = await verifySession(store, first.id, { encoders });
  expect(differences).toEqual([]);

  const fresh = await after.open();
  await fresh.prompt('Hello.');
  expect(bodies.at(-1)).toContain('counts');
});
