// Runs sessions of 2 to 5 calls on a model that caches nothing below 4,096 tokens, with fronts of several sizes and
// each setting of padding.

import type { Bill } from '@tidemark/context';
import { addBills, NO_BILL } from '@tidemark/context';
import type { PaddingSetting } from '@tidemark/log';

import { driveScript } from './drive-script.ts';
import { madeText } from './made-text.ts';
import { ROLE } from './made-tools.ts';
import { rowOf } from './model-row.ts';
import type { Script, ScriptedStep } from './scripted-turns.ts';

/** Model with the highest floor in the catalog. */
const MODEL = 'claude-haiku-4-5';

/**
 * Sizes of the agent's own system text in bytes. With ten tools, the fronts have about 1,500, 2,200, 2,700, 3,200 and
 * 3,700 tokens.
 */
const ROLES: readonly number[] = [0, 2_000, 3_400, 4_800, 6_000];

/**
 * Steps of two tasks. `small bug`: find, read, change, test and report a bug. `page from notes`: read all of the long
 * notes in one call, and write a page.
 */
const COURSES: Readonly<Record<string, readonly ScriptedStep[]>> = {
  'small bug': [[600], [2_400], [150], [900]],
  'page from notes': [[4_000, 6_000, 3_000], [200]],
};

/**
 * Sums over sessions with the same front and task, one session for each number of calls from 2 on. Amounts are input
 * tokens at the base price.
 */
export interface ShortSessions {
  /** Task and front, for example `small bug, front + 3,400 B`. */
  readonly name: string;
  readonly billed: Readonly<Record<PaddingSetting, number>>;
  /**
   * Ideal for the input sent with `auto`: every new token written once and every old one read, as if there were no
   * floor.
   */
  readonly ideal: number;
}

/** Runs all short sessions. Returns one entry per task and front. */
export async function shortSessions(): Promise<readonly ShortSessions[]> {
  const driven: ShortSessions[] = [];
  for (const [course, steps] of Object.entries(COURSES)) {
    for (const bytes of ROLES) {
      const billed = { auto: 0, always: 0, never: 0 };
      let ideal = 0;
      for (const padding of ['always', 'never', 'auto'] as const) {
        const bill = await billOfAll(steps, bytes, padding);
        billed[padding] = bill.billed.toNumber();
        ideal = bill.ideal.toNumber();
      }
      driven.push({ name: `${course}, front + ${bytes} B`, billed, ideal });
    }
  }
  return driven;
}

async function billOfAll(steps: readonly ScriptedStep[], bytes: number, padding: PaddingSetting): Promise<Bill> {
  const role = `${ROLE}\n${madeText(bytes, 1)}`;
  let all = NO_BILL;
  for (let made = 1; made <= steps.length; made += 1) {
    const script: Script = { name: 'short', turns: [steps.slice(0, made)] };
    const { bill, unlabelled, differences } = await driveScript(script, rowOf(MODEL), {
      cache: { padding },
      instructions: role,
    });
    if (unlabelled + differences > 0) throw new Error(`a short session with padding ${padding} broke its prefix`);
    all = addBills(all, bill);
  }
  return all;
}
