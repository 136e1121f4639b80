// Lifetimes chosen by the odds, against always five minutes, always an hour, and whoever knows every gap beforehand. On made
// days of work, and on the recorded sessions where they are on this machine.

import { unitPrice } from '@tidemark/context';
import { timestamp } from '@tidemark/log';

import type { Benchmark, Measured } from '../benchmark.ts';
import type { Charged, Played } from '../lives-played.ts';
import { addPlayed, play } from '../lives-played.ts';
import { MODELS, rowOf } from '../model-row.ts';
import type { Day, Step } from '../pause-sequences.ts';
import { pauseSequences } from '../pause-sequences.ts';
import { recordedSessions } from '../recorded-sessions.ts';

export const benchmark: Benchmark = {
  name: 'lifetime',
  against: 'billed input with all gaps known beforehand; made days, the worse of two models',
  target: 1.1,
  run,
};

const TODAY = timestamp('2026-11-20T00:00:00.000Z');

async function run(): Promise<Measured> {
  const models = MODELS.map((model) => ({ model, days: pauseSequences(1).map((day) => playDay(day, model)) }));
  const totals = models.map(({ days }) => days.map(({ played }) => played).reduce(addPlayed));
  return {
    ratio: Math.max(...totals.map(({ chosen, oracle }) => chosen / oracle)),
    details: {
      ...Object.fromEntries(models.flatMap(({ model, days }) => days.map((day) => describe(model, day)))),
      ...Object.fromEntries(models.map(({ model }, index) => [`${model}, all`, inWords(totals[index])])),
      ...(await recorded()),
    },
  };
}

interface PlayedDay {
  readonly name: string;
  readonly played: Played;
}

function playDay({ name, streams }: Day, model: string): PlayedDay {
  const charged = chargedBy(model);
  return { name, played: streams.map((steps) => play(steps, charged)).reduce(addPlayed) };
}

function chargedBy(model: string): Charged {
  const capabilities = rowOf(model);
  const price = unitPrice(capabilities, TODAY, 0);
  if (price === undefined)
    throw new Error(`the catalog has no price of ${model}: restore packages/model/data/catalog.json`);
  return { capabilities, price };
}

function describe(model: string, { name, played }: PlayedDay): [string, string] {
  return [`${model}, ${name}`, inWords(played)];
}

/** Each over the oracle. */
function inWords(played: Played | undefined): string {
  if (played === undefined) return 'nothing';
  const over = (cost: number): string => (cost / played.oracle).toFixed(3);
  return `5m ${over(played['5m'])}, 1h ${over(played['1h'])}, chosen ${over(played.chosen)}`;
}

/** Ratios of the replay itself; the oracle knows one chain of entries, and not those that a setting changed back finds alive. */
async function recorded(): Promise<Readonly<Record<string, string>>> {
  const [short, long, chosen] = [await recordedSessions('5m'), await recordedSessions('1h'), await recordedSessions()];
  if (!short.some(({ real }) => real)) return { recorded: 'none on this machine: ../shared/transcripts is absent' };
  return Object.fromEntries(
    short.flatMap(({ name, real, result }, index) => {
      const [hour, auto] = [long[index], chosen[index]];
      if (!real || hour === undefined || auto === undefined) return [];
      const oracle = oracleOf(hour.steps, result.forced, result.ideal, hour.model?.model);
      const told = `replay 5m ${result.ratio}, 1h ${hour.result.ratio}, chosen ${auto.result.ratio}, oracle of one chain ${oracle}`;
      return [[name, told]];
    }),
  );
}

function oracleOf(steps: readonly Step[], forced: number, ideal: number, model: string | undefined): string {
  if (model === undefined) return 'unknown';
  return ((play(steps, chargedBy(model)).oracle - forced) / ideal).toFixed(4);
}
