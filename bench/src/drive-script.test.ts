import { expect, test } from 'vitest';

import { driveScript } from './drive-script.ts';
import { MODELS, rowOf } from './model-row.ts';
import { SCRIPTS } from './scripted-turns.ts';

// Ratios that do not depend on the machine may not regress, so they are claims here and not only rows of a table.
for (const model of MODELS) {
  for (const script of SCRIPTS) {
    test(`the session "${script.name}" of ${model} is billed at most 1.02 of what it must be, without a break`, async () => {
      const { bill, stopped, unlabelled, differences } = await driveScript(script, rowOf(model));
      expect(bill.billed.div(bill.ideal).toNumber()).toBeLessThanOrEqual(1.02);
      expect(stopped).toBe(script.stops?.length ?? 0);
      expect([unlabelled, differences]).toEqual([0, 0]);
    });
  }
}
