// Measures the billed input of long sessions with default settings: old results are shortened and full windows are
// compacted. Each of these edits breaks the cached prefix and must save at least the cost of the break. The session is
// therefore compared with a session that shortens nothing and pays only for new tokens. `worst end` is the highest of
// the ratios that the session would have if it ended after one of its calls.

import type { Benchmark, Measured } from '../benchmark.ts';
import type { Driven } from '../drive-script.ts';
import { driveScript } from '../drive-script.ts';
import { unpaidOf } from '../edits-of.ts';
import { largest, sum } from '../figures.ts';
import { MODELS, rowOf } from '../model-row.ts';
import type { Script } from '../scripted-turns.ts';
import { WINDOWS } from '../scripted-turns.ts';

export const benchmark: Benchmark = {
  name: 'billed-full-windows',
  against: 'the session that shortens nothing, every new token written once, every old one read; the worst session',
  target: 1.02,
  run,
};

interface Compared {
  readonly name: string;
  readonly usual: Driven;
  readonly whole: Driven;
}

async function run(): Promise<Measured> {
  const sessions: Compared[] = [];
  for (const model of [...MODELS, 'gpt-5.6-sol'])
    for (const script of WINDOWS) sessions.push(await compare(model, script));
  return {
    ratio: largest(sessions.map(ratioOf)),
    details: {
      ...Object.fromEntries(sessions.map((one) => [one.name, inWords(one)])),
      unlabelled: sum(sessions.map(({ usual }) => usual.unlabelled)),
    },
  };
}

async function compare(model: string, script: Script): Promise<Compared> {
  const usual = await driveScript(script, rowOf(model), { compaction: { pruning: 'auto', when: 'preflight' } });
  const whole = await driveScript(script, rowOf(model), { compaction: { pruning: 'never', when: 'preflight' } });
  return { name: `${model} ${script.name}`, usual, whole };
}

function ratioOf({ usual, whole }: Compared): number {
  return usual.bill.billed.div(whole.bill.ideal).toNumber();
}

function inWords(one: Compared): string {
  const { usual, whole } = one;
  const ends = usual.bills.map(({ billed }, call) => billed.div(whole.bills[call]?.ideal ?? billed).toNumber());
  const prunings = usual.edits.filter(({ by }) => by === 'pruning').length;
  const unpaid = unpaidOf(usual.edits, usual.calls).length;
  return `${ratioOf(one).toFixed(3)}, worst end ${(largest(ends) ?? 0).toFixed(3)}; ${prunings} prunings, ${unpaid} unpaid, ${usual.edits.length - prunings} compactions in ${usual.calls} calls`;
}
