// Tests several skill bodies that together do not fit into the window. The last attempt of the recovery shortens such
// bodies like any other result that the model has not read yet. A shortened body counts as not loaded: it uses no
// budget and can be loaded again.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Recorded } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { defaultCatalog, findModel } from '@tidemark/model';
import type { AnswerPlan } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { expect, onTestFinished, test } from 'vitest';
import { createAgent } from './create-agent.ts';

const MODEL = 'claude-sonnet-4-5';
const LONG = 'Do it well, and say how. '.repeat(1_200);

async function installed(bodies: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-skills-cut-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, body] of Object.entries(bodies)) {
    await mkdir(join(folder, name));
    const head = `---\nname: ${name}\ndescription: About ${name}.\n---\n`;
    await writeFile(join(folder, name, 'SKILL.md'), `${head}${name} begins. ${body} ${name} ends.\n`);
  }
  return folder;
}

const loading = (...names: readonly string[]): AnswerPlan => ({
  answer: { calls: names.map((name) => ({ name: 'skill_load', arguments: { name } })) },
});

function resultsIn(records: readonly Recorded[]): readonly string[] {
  return records.flatMap(({ kind, data }) =>
    kind === 'tool.returned' || kind === 'tool.failed'
      ? [data.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')]
      : [],
  );
}

test('the last stage of the recovery shortens skill bodies, which can then be loaded again, while `skill_load` returns only a reference to a body that was not shortened', async () => {
  const folder = await installed({ a1: LONG, b2: LONG, short: 'Do it.', d4: 'Do more.' });
  const refused = { answer: { text: 'Nobody hears this.' } };
  const done = { answer: { text: 'Done.' } };
  const answers = [loading('a1', 'b2', 'short'), refused, loading('a1', 'short', 'd4'), done];
  const row = findModel(defaultCatalog(), MODEL, 'anthropic') ?? expect.unreachable();
  const real = { ...row, inputLimit: 12_000, window: { ...row.window, tokens: 13_000 } };
  const simulator = createSimulator({
    capabilities: () => real,
    onRequest: () => answers.shift() ?? expect.unreachable(),
  });
  const door = await simulator.listen();
  const bodies: string[] = [];
  const agent = createAgent({
    model: MODEL,
    apiKey: 'no-real-key-at-all',
    baseURL: door.url,
    skills: { roots: [{ folder, source: 'home' }] },
    permissions: { mode: 'read-only' },
    maxOutputTokens: 1_000,
    cache: { padding: 'never', warm: 'off' },
    connection: { onRequest: (body) => void bodies.push(Buffer.from(body).toString()) },
  });
  onTestFinished(async () => {
    await agent.close();
    await door.close();
  });
  const live = await agent.open();
  expect(await live.prompt('Do all of it.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
  const records = await Array.fromAsync(agent.log.read(sessionId(live.id)));
  const compactions = records.flatMap(({ kind, data }) => (kind === 'history.compacted' ? [data] : []));
  expect(compactions).toMatchObject([{ trigger: 'overflow_recovery', shortens: 2_000 }]);
  const cut = bodies.at(-2) ?? '';
  expect(['a1', 'b2', 'short'].map((name) => [cut.includes(`${name} begins.`), cut.includes(`${name} ends.`)])).toEqual(
    [
      [true, false],
      [true, false],
      [true, true],
    ],
  );
  expect(cut).toMatch(/Shortened here: the first \d+ of \d+ characters are shown\. The whole is at position \d+/);
  const [, , , again, pointed, fourth] = resultsIn(records);
  expect(again).toContain('a1 ends.');
  expect(pointed).toContain('[already_loaded]');
  expect(fourth).toContain('d4 ends.');
  expect(records.flatMap(({ kind, data }) => (kind === 'skill.loaded' ? [data.name] : []))).toEqual([
    'a1',
    'b2',
    'short',
    'a1',
    'd4',
  ]);
});
