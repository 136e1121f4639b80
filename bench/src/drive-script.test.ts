import { expect, test } from 'vitest';

import { driveScript } from './drive-script.ts';
import { unpaidOf } from './edits-of.ts';
import { MODELS, rowOf } from './model-row.ts';
import type { Script } from './scripted-turns.ts';
import { EVENTFUL, PAUSES, SCRIPTS, WINDOWS } from './scripted-turns.ts';

const OFTEN = [...SCRIPTS, ...EVENTFUL.filter(({ extraTools }) => extraTools === undefined)];
const OVER_A_PORT = OFTEN.filter(({ name }) => ['kill', 'fan-out'].includes(name));

/** Scripts in which tools are added at call 20 and removed at call 31. */
const toolsChanged = EVENTFUL.filter(({ extraTools }) => extraTools !== undefined);

/** Triples of a script, a model, and the largest allowed ratio of billed cost to ideal cost. */
const CLAIMS: readonly (readonly [script: Script, model: string, most: number])[] = [
  ...MODELS.flatMap((model) => OFTEN.map((script) => [script, model, 1.02] as const)),
  ...OVER_A_PORT.map((script) => [script, 'gpt-5.6-sol', 1.02] as const),
  ...['anthropic/claude-sonnet-4.6', 'gpt-5.4'].flatMap((model) =>
    OVER_A_PORT.slice(-1).map((script) => [script, model, 1.02] as const),
  ),
  ...toolsChanged.map((script) => [script, 'claude-opus-5-5', 1.02] as const),
  [PAUSES, 'claude-sonnet-4-5', 1.15],
  [PAUSES, 'anthropic/claude-sonnet-4.6', 1.15],
  [PAUSES, 'gpt-5.6-sol', 1.02],
];

// These ratios do not depend on the machine and must not regress. They are therefore tested here, and are not only rows
// of a table.
for (const [script, model, most] of CLAIMS) {
  test(`the session "${script.name}" on ${model} is billed at most ${most} times the ideal, and every break has a cause`, async () => {
    const { bill, stopped, unlabelled, differences } = await driveScript(script, rowOf(model));
    expect(bill.billed.div(bill.ideal).toNumber()).toBeLessThanOrEqual(most);
    expect(stopped).toBe(script.stops?.length ?? 0);
    expect([unlabelled, differences]).toEqual([0, 0]);
  });
}

test.each(MODELS)(
  'with default settings on %s, a session that fills the window costs less than 1.02 times the ideal of a session that shortens nothing',
  async (model) => {
    const [script] = WINDOWS;
    if (script === undefined) throw new Error('no script fills a window');
    const { bill, edits, calls, unlabelled, differences } = await driveScript(script, rowOf(model), {
      compaction: { pruning: 'auto', when: 'preflight' },
    });
    const whole = await driveScript(script, rowOf(model));
    expect(bill.billed.div(whole.bill.ideal).toNumber()).toBeLessThan(1.02);
    // At most one edit for each tier: calm, advisory, warning, critical.
    expect(edits.length).toBeLessThanOrEqual(4);
    // The last batch is not checked. The length of a session is not known in advance, so the session can end soon after
    // that batch.
    expect(unpaidOf(edits.slice(0, -1), calls)).toEqual([]);
    expect([unlabelled, differences]).toEqual([0, 0]);
  },
);

for (const model of ['claude-sonnet-4-5', 'gpt-5.4']) {
  test.each(toolsChanged)(
    `$name: ${model} is billed less than 1.5 times the ideal, and every break has a cause`,
    async (script) => {
      const { bill, unlabelled, differences } = await driveScript(script, rowOf(model));
      expect(bill.billed.div(bill.ideal).toNumber()).toBeLessThan(1.5);
      expect([unlabelled, differences]).toEqual([0, 0]);
    },
  );
}
