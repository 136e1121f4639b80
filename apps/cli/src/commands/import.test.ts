// Tests that `tidemark import` can import one transcript several times, and that `tidemark cost` counts the calls
// correctly.

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createMemoryStore } from '@tidemark/store-memory';
import { afterEach, beforeEach, expect, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun, pretendStore } from '../../tests/pretend-run.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-import-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Returns a turn of a Claude Code session: a prompt, and its answer of 1,000 input and 10 output tokens. */
function turn(session: string, number: number): string {
  const common = { isSidechain: false, cwd: '/work', sessionId: session, version: '2.1.39' };
  const at = (second: number): string => new Date(Date.UTC(2026, 10, 20, 12, number, second)).toISOString();
  const before = number === 0 ? null : `a${number - 1}`;
  const said = { role: 'user', content: `question ${number}` };
  const usage = { input_tokens: 10, cache_read_input_tokens: 900, cache_creation_input_tokens: 90, output_tokens: 10 };
  const answer = {
    id: `msg_${number}`,
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text: `answer ${number}` }],
    stop_reason: 'end_turn',
    usage: { ...usage, cache_creation: { ephemeral_5m_input_tokens: 90, ephemeral_1h_input_tokens: 0 } },
  };
  const rows = [
    { ...common, parentUuid: before, uuid: `p${number}`, timestamp: at(0), type: 'user', message: said },
    { ...common, parentUuid: `p${number}`, uuid: `a${number}`, timestamp: at(5), type: 'assistant', message: answer },
  ];
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

interface Tidemark {
  (...args: readonly string[]): Promise<Ran>;
}

function commands(): Tidemark {
  const store = pretendStore(createMemoryStore());
  return (...args) => pretendRun(args, { store });
}

async function callsOf(tidemark: Tidemark, ...session: readonly string[]): Promise<unknown> {
  const { out } = await tidemark('cost', ...session, '--json');
  const { whole } = JSON.parse(out);
  return [whole.calls, whole.tokens.read];
}

const sessionIn = ({ out }: Ran): string => out.split('\n')[0] ?? '';

test('importing a transcript that grew updates its session, and the output gives the number of new events', async () => {
  const tidemark = commands();
  const file = join(folder, 'live.jsonl');
  writeFileSync(file, turn('aaaa', 0) + turn('aaaa', 1));
  const first = await tidemark('import', file);
  appendFileSync(file, turn('aaaa', 2));
  const again = await tidemark('import', file);
  expect(sessionIn(again)).toBe(sessionIn(first));
  expect(again.out).toMatch(/it has grown since the last import; \d+ events were added/);
  expect((await tidemark('import', file)).out).toContain('it was already imported; nothing was added');
  expect(await callsOf(tidemark)).toEqual([3, 2_700]);
  expect(JSON.parse((await tidemark('cost', '--json')).out).sessions).toHaveLength(1);
});

test('rows that `--fork-session` copied are counted once, in the total and per session', async () => {
  const tidemark = commands();
  const [original, fork] = [join(folder, 'original.jsonl'), join(folder, 'fork.jsonl')];
  writeFileSync(original, turn('aaaa', 0) + turn('aaaa', 1) + turn('aaaa', 2));
  writeFileSync(fork, turn('bbbb', 0) + turn('bbbb', 1) + turn('bbbb', 7));
  await tidemark('import', original);
  const forked = await tidemark('import', fork);
  expect(await callsOf(tidemark)).toEqual([4, 3_600]);
  expect(await callsOf(tidemark, sessionIn(forked))).toEqual([1, 900]);
});

test('importing a transcript whose old rows changed creates another session, and the output names the earlier session', async () => {
  const tidemark = commands();
  const file = join(folder, 'live.jsonl');
  writeFileSync(file, turn('aaaa', 0) + turn('aaaa', 1));
  const first = await tidemark('import', file);
  writeFileSync(file, turn('aaaa', 0).replace('question 0', 'question 0, edited') + turn('aaaa', 1) + turn('aaaa', 2));
  const again = await tidemark('import', file);
  expect(sessionIn(again)).not.toBe(sessionIn(first));
  expect(again.out).toContain(`its records differ from those of the earlier import ${sessionIn(first)}`);
  expect(await callsOf(tidemark)).toEqual([3, 2_700]);
});
