// Events of the demo's session: an agent fixes the failing tax test of a shop. The session is small but realistic. It
// has parallel calls, outputs of several sizes, a lunch break and a compaction.

import {
  CART,
  CHANGELOG,
  COUNTRIES,
  GREP,
  INVOICE,
  LISTING,
  RATES,
  ROUNDING,
  TAX,
  TAX_TEST,
  TEST_FAILS,
  TEST_PASSES,
} from './shop.ts';

/** One event of the session. `after` is the number of seconds since the previous event. */
export type Happening =
  | { readonly what: 'prompt'; readonly after: number; readonly text: string }
  | { readonly what: 'answer'; readonly after: number; readonly text: string; readonly calls: readonly Call[] }
  | {
      readonly what: 'result';
      readonly after: number;
      readonly call: string;
      readonly tool: string;
      readonly text: string;
    }
  | { readonly what: 'reasoning'; readonly after: number; readonly level: string }
  /** Summarizes everything before the last `keep` prompts. */
  | { readonly what: 'compaction'; readonly after: number; readonly summary: string; readonly keep: number };

/** Tool call in an answer. */
export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly arguments: { readonly [name: string]: string };
}

let calls = 0;

function call(tool: string, given: Call['arguments']): Call {
  calls += 1;
  return { id: `toolu_demo${String(calls).padStart(4, '0')}`, tool, arguments: given };
}

function step(text: string, made: readonly (readonly [Call, string])[] = []): readonly Happening[] {
  const results = made.map(([{ id, tool }, output]): Happening => ({
    what: 'result',
    after: 1,
    call: id,
    tool,
    text: output,
  }));
  return [{ what: 'answer', after: 1, text, calls: made.map(([one]) => one) }, ...results];
}

const SUMMARY = `Objective: make the failing tax test pass, then add Norway.
Done: src/tax.ts rounds once, at the end, half to even (src/rounding.ts). The test suite passes (41 tests).
Decisions: rates stay in basis points; rounding belongs to the invoice, not to the line.
Files changed: src/tax.ts. Files read: src/tax.ts, src/rounding.ts, src/rates.ts, src/countries.ts, src/invoice.ts, src/cart.ts, test/tax.test.ts.
Open: add Norway (25%, food 15%) with a test; mention both in CHANGELOG.md.`;

/** All events of the session, in order. */
export const TASK: readonly Happening[] = [
  {
    what: 'prompt',
    after: 0,
    text: 'The tax test fails since yesterday. Find out why and fix it. Keep the rounding rules as they are documented.',
  },
  ...step('I look at the project and at the failing test first.', [
    [call('ls', { path: '.' }), LISTING],
    [call('bash', { command: 'npm test' }), TEST_FAILS],
  ]),
  ...step('One assertion is off by a cent. I read the test and what it covers.', [
    [call('read', { path: 'test/tax.test.ts' }), TAX_TEST],
    [call('read', { path: 'src/tax.ts' }), TAX],
    [call('read', { path: 'src/rounding.ts' }), ROUNDING],
    [call('read', { path: 'src/rates.ts' }), RATES],
  ]),
  ...step('The tax is rounded per line and then summed. I check who else relies on that.', [
    [call('grep', { pattern: 'roundHalfEven|lineTax', path: 'src' }), GREP],
    [call('read', { path: 'src/invoice.ts' }), INVOICE],
  ]),
  ...step('Only the invoice uses it, and its comment says: round once, at the end. I change the tax accordingly.', [
    [
      call('edit', { path: 'src/tax.ts', find: 'sum + roundHalfEven(lineTax(line))', replace: 'sum + lineTax(line)' }),
      'edited src/tax.ts: 1 replacement',
    ],
  ]),
  ...step('Now the sum has to be rounded where it is returned.', [
    [
      call('edit', { path: 'src/tax.ts', find: 'return total;', replace: 'return roundHalfEven(total);' }),
      'edited src/tax.ts: 1 replacement',
    ],
    [call('bash', { command: 'npm test' }), TEST_PASSES],
  ]),
  ...step(
    'The tax test passes, and the other 40 tests still do. The tax was rounded for each line and the cents added up; it is now rounded once, at the end, as the invoice documents it.',
  ),
  { what: 'prompt', after: 540, text: 'Thanks, I was at lunch. Does the cart show the same amount?' },
  ...step('I read the cart.', [[call('read', { path: 'src/cart.ts' }), CART]]),
  ...step('The cart calls `taxOf` for its preview, so it shows the rounded sum: the same amount as the invoice.'),
  { what: 'reasoning', after: 20, level: 'high' },
  { what: 'prompt', after: 45, text: 'Good. Think hard about this one: what would it take to sell to Norway?' },
  ...step('I look at how countries and rates are set up.', [
    [call('read', { path: 'src/countries.ts' }), COUNTRIES],
    [call('grep', { pattern: 'countryOf', path: 'src' }), GREP],
  ]),
  ...step(
    'One row in `COUNTRIES` (25%, 15% on food) and one in `RATES`; nothing else depends on the list. I would add a test for the food rate.',
  ),
  { what: 'compaction', after: 30, summary: SUMMARY, keep: 1 },
  { what: 'prompt', after: 2, text: 'Do it, with a test, and note both changes in the changelog.' },
  ...step('I have the countries before me; of the changelog I need the exact words.', [
    [call('read', { path: 'test/tax.test.ts' }), TAX_TEST],
    [call('read', { path: 'CHANGELOG.md' }), CHANGELOG],
  ]),
  ...step('I add the row, the test and the note.', [
    [
      call('edit', {
        path: 'src/countries.ts',
        find: '  // Norway is next.',
        replace: "  { code: 'NO', name: 'Norway', standard: 2500, food: 1500 },",
      }),
      'edited src/countries.ts: 1 replacement',
    ],
    [
      call('edit', {
        path: 'test/tax.test.ts',
        find: '// countries',
        replace:
          "test('taxes food in Norway at 15%', () => expect(taxOf(food('NO', 10_000))).toBe(1_500));\n// countries",
      }),
      'edited test/tax.test.ts: 1 replacement',
    ],
    [
      call('edit', {
        path: 'CHANGELOG.md',
        find: '## Unreleased',
        replace: '## Unreleased\n- Tax is rounded once per invoice.\n- Sells to Norway.',
      }),
      'edited CHANGELOG.md: 1 replacement',
    ],
  ]),
  ...step('And the whole suite once more.', [[call('bash', { command: 'npm test' }), TEST_PASSES]]),
  ...step('Norway is in, with its food rate tested; both changes are in the changelog. All 42 tests pass.'),
];
