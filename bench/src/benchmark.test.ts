import { position } from '@tidemark/log';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { verifySession } from '@tidemark/agent';
import { createMemoryStore } from '@tidemark/store-memory';
import { expect, test } from 'vitest';

import type { Benchmark } from './benchmark.ts';
import { measure } from './benchmark.ts';
import { countLabelledBreaks } from './benchmarks/verify.ts';
import { renderResults } from './render-results.ts';
import { beginSteady } from './steady-session.ts';

const row = { against: 'nothing', target: 1 } as const;
const fails: Benchmark = { ...row, name: 'fails', run: () => Promise.reject(new Error('the fold has a fault')) };
const works: Benchmark = { ...row, name: 'works', run: () => Promise.resolve({ ratio: 0.5, details: { calls: 3 } }) };

test('a benchmark that throws gives one failed row, and the other rows keep their figures', async () => {
  const results = [await measure(fails), await measure(works)];
  expect(results).toEqual([
    { ...row, name: 'fails', ratio: null, met: null, error: 'the fold has a fault' },
    { ...row, name: 'works', ratio: 0.5, met: true, details: { calls: 3 } },
  ]);
  const lines = renderResults(results).split('\n');
  expect(lines.find((line) => line.includes('fails'))).toMatch(/failed.*the fold has a fault/);
  expect(lines.find((line) => line.includes('works'))).toMatch(/met.*calls 3/);
});

test('the table of a benchmark is printed below all rows, and its `unprinted` values are in the result but not in the output', async () => {
  const table = { head: ['strategy', 'recall'], rows: [['last part', '0.71']] };
  const run: Benchmark['run'] = async () => ({ ratio: 1, table, unprinted: { 'last part at 40%': '5 of 7' } });
  const result = await measure({ ...row, name: 'tabled', run });
  expect(result.unprinted).toEqual({ 'last part at 40%': '5 of 7' });
  const text = renderResults([result, await measure(works)]);
  expect(text.indexOf('last part')).toBeGreaterThan(text.indexOf('works'));
  expect(text).toMatch(/tabled:\n.*\n.*strategy.*recall/);
  expect(text).not.toContain('5 of 7');
});

test('`countLabelledBreaks` counts a break that a compaction caused', async () => {
  const log = createMemoryStore();
  const { id, turn, compact, close } = await beginSteady({ log, calls: 0, bytes: 200 });
  await turn(1);
  compact();
  await turn(1);
  await turn(1);
  await close();
  const encoders = (): typeof anthropicEncoder => anthropicEncoder;
  const found = await verifySession(log, id, { encoders });
  expect(found.breaks.map(({ cause }) => cause)).toEqual(['compaction']);
  expect(countLabelledBreaks(found)).toBe(1);
});

test('`countLabelledBreaks` throws for a break without a cause and for a request that differs', () => {
  const at = { step: 1, position: position(4) };
  const difference = { ...at, stream: 'main', recorded: 'a', rebuilt: 'b' };
  const labelled = { ...at, cause: 'compaction' } as const;
  expect(() => countLabelledBreaks({ requests: 2, differences: [], breaks: [labelled, at] })).toThrow(
    'of 2 requests 0 differ and 1 break without a cause',
  );
  expect(() => countLabelledBreaks({ requests: 2, differences: [difference], breaks: [labelled] })).toThrow('1 differ');
});
