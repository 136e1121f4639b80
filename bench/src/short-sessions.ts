// Sessions of 2 to 5 calls on a model that caches nothing below 4,096 tokens, by the size of the front, in each setting of
// padding.

import type { Bill } from '@tidemark/context';
import { addBills, NO_BILL } from '@tidemark/context';
import type { PaddingSetting } from '@tidemark/log';

import { driveScript } from './drive-script.ts';
import { madeText } from './made-text.ts';
import { ROLE } from './made-tools.ts';
import { rowOf } from './model-row.ts';
import type { Script, ScriptedStep } from './scripted-turns.ts';

/** The model: its floor is the highest there is. */
const MODEL = 'claude-haiku-4-5';

/** Bytes of own system text. With ten tools the fronts have about 1,500, 2,200, 2,700, 3,200 and 3,700 tokens. */
const ROLES: readonly number[] = [0, 2_000, 3_400, 4_800, 6_000];

/** A small bug: found, read, changed, tested, told. A page from notes: the notes are long, one call reads them all. */
const COURSES: Readonly<Record<string, readonly ScriptedStep[]>> = {
  'small bug': [[600], [2_400], [150], [900]],
  'page from notes': [[4_000, 6_000, 3_000], [200]],
};

/** One front in one course, cut to each number of calls from 2 on. Input in tokens at the base price, over all of them. */
export interface ShortSessions {
  /** `small bug, front + 3,400 B`. */
  readonly name: string;
  readonly billed: Readonly<Record<PaddingSetting, number>>;
  /** Of what `auto` sent: every new token written once, every old one read, as though there were no floor. */
  readonly ideal: number;
}

/** Drives them all. */
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
