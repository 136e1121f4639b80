// Tests `tidemark cost`, `cache`, `skills`, `show` and `why` on sessions that are identical in every run.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { LogError } from '@tidemark/log';
import type { NdjsonStore } from '@tidemark/store-ndjson';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { playSession } from '../../tests/played-session.ts';
import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';

const home = mkdtempSync(join(tmpdir(), 'tidemark-cost-'));
const store = openNdjsonStore({ home });
afterAll(() => rmSync(home, { recursive: true, force: true }));

let session = '';
beforeAll(async () => {
  session = await playSession(store);
  await playSession(store, Date.UTC(2026, 10, 21, 9));
});

const tidemark = (...args: readonly string[]): Promise<Ran> => pretendRun(args, { store });

async function onTerminal(...args: readonly string[]): Promise<string> {
  const { out } = await pretendRun(args, { store, colour: true });
  return out.replaceAll(/\u001b\[\d+m/g, '');
}

describe('`tidemark cost`', () => {
  test('sums up all sessions, one line each, newest first', async () => {
    expect(await onTerminal('cost')).toMatchInlineSnapshot(`
      "2 sessions, 12 calls, 2026-11-20 to 2026-11-21
      paid       $0.126
      uncached   $0.187  the same calls without a cache
      ideal     $0.0551  each new token written once, old tokens read (estimate)

      session      calls   input  output     paid  × ideal
      played-21-1      6  31,017      18  $0.0631     2.29
      played-20-1      6  31,017      18  $0.0631     2.29
      "
    `);
  });
  test('groups the calls of one session by the cause of the tokens paid again, and prices them with another model', async () => {
    expect(await onTerminal('cost', session, '--as', 'claude-haiku-4-5')).toMatchInlineSnapshot(`
      "played-20-1, 6 calls, 2026-11-20
      paid      $0.0631
      uncached  $0.0933  the same calls without a cache
      ideal     $0.0276  each new token written once, old tokens read (estimate)
      other     $0.0210  the same tokens with claude-haiku-4-5-20251001

      cause               calls   input  output     paid  × ideal
      nothing paid again      4  20,666      12  $0.0242     1.00
      tools                   1   5,189       3  $0.0195    11.32
      expired                 1   5,162       3  $0.0194    11.92
      "
    `);
  });
  test('counts a damaged session up to its damage, and reports it', async () => {
    const damaged: NdjsonStore = {
      ...store,
      async *read(id, from, to) {
        for await (const record of store.read(id, from, to)) {
          if (id === session && record.kind === 'answer.received' && record.position > 20)
            throw new LogError('log/damaged', 'the log is damaged', { session: id });
          yield record;
        }
      },
    };
    const ran = await pretendRun(['cost', '--json'], { store: damaged });
    expect(ran).toMatchObject({
      exit: 0,
      err: expect.stringContaining(`counted in part: ${session}: the log is damaged`),
    });
    const { whole, problems, sessions } = JSON.parse(ran.out);
    expect(problems).toEqual([{ session, reason: 'the log is damaged' }]);
    const [other, own] = sessions;
    expect([own.session, own.calls < other.calls, own.calls > 0]).toEqual([session, true, true]);
    expect(whole.calls).toBe(own.calls + other.calls);
    for (const command of ['cost', 'cache'])
      expect(await pretendRun([command, session], { store: damaged })).toMatchObject({ exit: 4, out: '' });
  });
  test('counts only the calls from the given day on', async () => {
    expect(await onTerminal('cost', '--by', 'day', '--since', '2026-11-21')).toMatchInlineSnapshot(`
      "1 session, 6 calls, 2026-11-21
      paid      $0.0631
      uncached  $0.0933  the same calls without a cache
      ideal     $0.0276  each new token written once, old tokens read (estimate)

      day         calls   input  output     paid  × ideal
      2026-11-21      6  31,017      18  $0.0631     2.29
      "
    `);
  });
});

describe('`tidemark cache`', () => {
  test('prints the rates of all sessions and the changes of their prefixes', async () => {
    expect(await onTerminal('cache')).toMatchInlineSnapshot(`
      "2 sessions, 12 calls, 2026-11-20 to 2026-11-21
      hit rate         50.0%  of 62,034 input tokens were read
      write share      50.0%  of them were written
      coverage         60.0%  of the readable tokens were read
      wasted writes   10,342  tokens written and never read; the next call may still read 14
      forecast error    3.3%  of the input tokens, over 12 calls
      changes              2  tools × 2

      session      calls    hit  written  covered  paid again
      played-21-1      6  50.0%    50.0%    60.0%      10,318
      played-20-1      6  50.0%    50.0%    60.0%      10,318
      "
    `);
  });
  test('prints the tokens that one session paid again, by cause', async () => {
    expect(await onTerminal('cache', session)).toMatchInlineSnapshot(`
      "played-20-1, 6 calls, 2026-11-20
      hit rate        50.0%  of 31,017 input tokens were read
      write share     50.0%  of them were written; a prefix that only grows would give 28.6%
      coverage        60.0%  of the readable tokens were read
      wasted writes   5,171  tokens written and never read; the next call may still read 7
      forecast error   3.3%  of the input tokens, over 6 calls
      changes             1  tools

      cause    by        calls  paid again  extra cost
      tools    a change      1       5,162     $0.0178
      expired  time          1       5,156     $0.0178
      "
    `);
  });
  test('groups the calls by prompt contract', async () => {
    expect(await onTerminal('cache', '--by', 'contract')).toMatchInlineSnapshot(`
      "2 sessions, 12 calls, 2026-11-20 to 2026-11-21
      hit rate         50.0%  of 62,034 input tokens were read
      write share      50.0%  of them were written
      coverage         60.0%  of the readable tokens were read
      wasted writes   10,342  tokens written and never read; the next call may still read 14
      forecast error    3.3%  of the input tokens, over 12 calls
      changes              2  tools × 2

      contract  calls    hit  written  covered  paid again
      tm3          12  50.0%    50.0%    60.0%      20,636
      "
    `);
  });
  test('lists the latest requests with the sizes of their sections', async () => {
    expect(await onTerminal('cache', session, '--requests')).toMatchInlineSnapshot(`
      "the latest requests of 1 session; sizes are estimated tokens

      played-20-1
       step  at           prefix          tools  system  messages  marked
          0  11-20 12:00  opens: initial      0      89     4,043  2 5m
          1  11-20 12:00  extends             0      89     4,052  2, 4 5m
      title  11-20 12:00  inherits            0      89     4,061  4, 5, 6 5m
          2  11-20 12:06  extends             0      89     4,060  4, 6 5m
          3  11-20 12:06  opens: tools       21      89     4,067  9 5m
          4  11-20 12:07  extends            21      89     4,075  9, 11 5m
      "
    `);
  });
});

describe('`tidemark show`', () => {
  test('prints the error of the forecasts', async () => {
    const [headline] = (await onTerminal('show', session)).split('\n');
    expect(headline).toMatchInlineSnapshot(
      `"played-20-1: 32 records, 5 steps, 1 side call; forecast error 3.3% of the input"`,
    );
  });

  test('prints a breaking request next to the previous one, and marks the first difference', async () => {
    expect(await onTerminal('show', session, '3', '--diff')).toMatchInlineSnapshot(`
      "step 3 of played-20-1: 21,404 bytes, 10 blocks, epoch 1, digest a0f9c25f913a…
      breaks the prefix of the previous request at block 0, byte 2
      forecast: 0 read, 5,197 written, 0 fresh, $0.0195 before the answer
      actual:   0 read, 5,189 written, 0 fresh
           old  new  span            origin                    tokens  text
      ► +         0  system tool     layer tools 29096cd04015      21  look
        =    0    1  system text     layer runtime tm3             89  Blocks that begin with <
        =    1    2  user text       record 2                      43  <context source=\\"permis
        =    2    3  user text       record 4                   4,000  word word word word word
        =    3    4  assistant text  record 7                       4  So it is.
        =    4    5  user text       record 10                      5  What did I say?
        =    5    6  assistant text  record 12                      4  So it is.
        =    6    7  user text       record 17                      4  I am back.
        +         8  assistant text  record 19                      4  So it is.
        +         9  user text       record 22                      3  Now look.
      "
    `);
  });
});

test('`why` explains each cause in words, with its price', async () => {
  expect(await onTerminal('why', session)).toMatchInlineSnapshot(`
    "step 2 at 2026-11-20T12:06:36.000Z
      paid again: 5,156 tokens, $0.0178 more than reading them
      cause: expired, the cache entry had expired (the previous request was sent 6.1 minutes earlier)
      the provider agrees: the content that was sent before is unchanged
    step 3 at 2026-11-20T12:06:58.000Z
      breaks at block 0, byte 2: system tool from layer tools 29096cd04015 instead of system text from layer runtime tm3
      cause: tools, the tool list changed (epoch 1)
      forecast: 5,162 tokens written again, $0.0178
      paid again: 5,162 tokens, $0.0178 more than reading them
      the provider agrees: tools_changed, about 5,162 tokens
    "
  `);
});

describe('with --json', () => {
  const json = async (...args: readonly string[]): Promise<unknown> =>
    JSON.parse((await tidemark(...args, '--json')).out);

  test('`cache` prints one object with every sum and rate, and the sums of the groups add up to the totals', async () => {
    const found = await json('cache', '--by', 'day');
    expect(found).toMatchObject({
      by: 'day',
      since: null,
      whole: { calls: 12, uncounted: 0, unpriced: 0, rates: { hitRate: expect.closeTo(0.5, 3) } },
      groups: [
        { name: '2026-11-20', calls: 6 },
        { name: '2026-11-21', calls: 6 },
      ],
      sessions: [
        { session: 'played-21-1', churn: { tools: { tools: 1 }, history: {} } },
        { session: 'played-20-1', appended: 0 },
      ],
    });
  });

  test('a request is printed with the structure of its body but without any of its text', async () => {
    const { out } = await tidemark('cache', session, '--requests', '--json');
    expect(out).not.toMatch(/word|What did I say|So it is|Looks at/);
    expect(JSON.parse(out).sessions[0].requests.at(-1)).toMatchObject({
      relation: 'extends',
      sections: { tools: { blocks: 1 }, system: { blocks: 1 } },
      shape: {
        model: 'claude-sonnet-4-5-20250929',
        messages: expect.arrayContaining([{ role: 'assistant', content: [{ type: 'text', text: '9 bytes' }] }]),
      },
    });
  });
});

describe('`cost`, `cache` and `skills` with nothing to report', () => {
  test.each([
    [
      ['cost', 'nobody'],
      3,
      /no session has the id or the title "nobody"\nnext: `tidemark sessions` lists the existing sessions\n$/,
    ],
    [['cache', '../x'], 3, /no session has the id or the title/],
    [['skills', 'nobody'], 3, /no session has the id or the title "nobody"/],
    [['cost', '--since', 'yesterday'], 2, /"yesterday" is not a day or a time\nnext: use a day such as 2026-11-20/],
    [['cost', '--since', '2026-02-30'], 2, /is not a day or a time/],
    [['cache', '--by', 'banana'], 2, /expected one of session, day, model, contract, cause/],
    [['cost', '--as', 'claude-sonet'], 3, /no model "claude-sonet"\nnext: did you mean claude-sonnet/],
  ])('%j is refused with the next step', async (args, exit, words) => {
    expect(await tidemark(...args)).toMatchObject({ exit, out: '', err: expect.stringMatching(words) });
  });

  test('an empty store is no error, and the output names the command that adds data', async () => {
    const empty = openNdjsonStore({ home: join(home, 'empty') });
    for (const command of ['cost', 'cache']) {
      const ran = await pretendRun([command], { store: empty });
      expect(ran).toMatchObject({ exit: 0, err: '', out: expect.stringContaining('`tidemark import <transcript>`') });
    }
    expect((await tidemark('cost', '--since', '2027-01-01')).out).toContain('use an earlier day');
    expect((await tidemark('skills')).out).toBe(
      'no skill was loaded in 2 sessions\nno session lists skills for the model\nno skill is installed\na skill is a folder with a SKILL.md in .agents/skills or in ~/.agents/skills\n',
    );
    const { out } = await pretendRun(['cache', '--json'], { store: empty });
    expect(JSON.parse(out)).toMatchObject({
      whole: { calls: 0, rates: { hitRate: null, coverage: null } },
      groups: [],
    });
  });
});
