// Tests that `why` and `cost` report the price cliff that a session crossed.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openNdjsonStore } from '@tidemark/store-ndjson';
import { expect, onTestFinished, test } from 'vitest';

import { playLongSession } from '../../tests/played-session.ts';
import { pretendRun } from '../../tests/pretend-run.ts';

test('`why` names the step that crossed the price cliff, and `cost` reports the cost that the length added', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-cliff-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const store = openNdjsonStore({ home });
  const session = await playLongSession(store);
  const why = (await pretendRun(['why', session], { store, colour: true })).out;
  expect(why.match(/crosses a price cliff/g)).toHaveLength(1);
  expect(why).toMatch(
    /crosses a price cliff: above 100,000 tokens, the whole request costs more; this one costs \$0\.0\d+ more/,
  );
  const cost = (await pretendRun(['cost', session], { store, colour: true })).out;
  expect(cost).toMatch(/above a price cliff: 2 calls; the length added \$0\.0\d+/);
  const { whole }: { readonly whole: { readonly dearer: { readonly calls: number } } } = JSON.parse(
    (await pretendRun(['cost', session, '--json'], { store })).out,
  );
  expect(whole.dearer.calls).toBe(2);
});
