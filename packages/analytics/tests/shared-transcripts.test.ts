// Tests the audit of the recorded sessions in the `shared/transcripts` folder next to the repository. Without that
// folder the tests print a message and are skipped.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Audit } from '../src/index.ts';
import type { Machine } from './claude-transcript.ts';
import { createMachine } from './claude-transcript.ts';

const folder = join(import.meta.dirname, '../../../../shared/transcripts');
const there = existsSync(folder);
if (!there) console.warn('skipped: no ../shared/transcripts next to the repository');

const NAMES = ['claude-code-session-opus', 'claude-code-subagent-sonnet', 'pi-coding-session-sonnet'];

describe.skipIf(!there)('the audit of the recorded sessions', () => {
  let machine: Machine;
  let found: Audit;
  beforeAll(async () => {
    machine = createMachine();
    for (const name of NAMES) machine.write(`${name}.jsonl`, readFileSync(join(folder, `${name}.jsonl`), 'utf8'));
    found = await machine.audited();
  });
  afterAll(() => machine.close());

  test('has the sums that a script over the raw counts of the files gives', () => {
    expect(found.sums).toMatchObject({ sessions: 3, calls: 608, unpriced: 14, input: 62_724_371, read: 58_035_245 });
    expect(found.sessions.map(({ paid }) => paid)).toEqual(['30.3301977', '11.8539235', '0.2633937']);
    expect(found.sums).toMatchObject({ paid: '42.4475149', hadToCost: '26.86732705', difference: '15.58018785' });
  });

  test('names the cause of at least 90 % of the tokens that were paid again', () => {
    const tokens = (causes: Audit['causes']): number => causes.reduce((sum, one) => sum + one.tokens, 0);
    const unknown = found.causes.filter(({ cause }) => cause === 'unknown');
    expect(tokens(found.causes)).toBe(4_262_270);
    expect(tokens(unknown) / tokens(found.causes)).toBeLessThanOrEqual(0.1);
  });

  test('names each cause with its calls', () =>
    expect(found.causes.map(({ cause, calls, tokens }) => [cause, calls, tokens])).toEqual([
      ['front-changed-or-evicted', 29, 3_371_735],
      ['reasoning', 4, 466_512],
      ['history-changed', 2, 144_687],
      ['expired', 4, 279_336],
    ]));
});
