// Lifetimes chosen by the odds, against always five minutes, always an hour, and whoever knows every gap beforehand. On made
// days of work, and on the recorded sessions where they are on this machine.

import { unitPrice } from '@tidemark/context';
import { timestamp } from '@tidemark/log';

import type { Benchmark, Measured } from '../benchmark.ts';
import type { Charged, Played } from '../lives-played.ts';
import { addPlayed, play } from '../lives-played.ts';
import { MODELS, rowOf } from '../model-row.ts';
import { playWarm } from '../lives-warmed.ts';
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
  const totals = models.map(({ days }) => days.map(({ played }) => played).reduce(addWarm));
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
  readonly played: PlayedWarm;
}

/** Also with pauses kept warm: by reads, and by promotions where they work. */
interface PlayedWarm extends Played {
  readonly refresh: number;
  readonly promotion: number;
}

function playDay({ name, streams }: Day, model: string): PlayedDay {
  const charged = chargedBy(model);
  const played = streams.map((steps) => ({
    ...play(steps, charged),
    refresh: playWarm(steps, charged, { promotes: false, ttl: 'auto' }),
    promotion: playWarm(steps, charged, { promotes: true, ttl: '5m' }),
  }));
  return { name, played: played.reduce(addWarm) };
}

function addWarm(a: PlayedWarm, b: PlayedWarm): PlayedWarm {
  return { ...addPlayed(a, b), refresh: a.refresh + b.refresh, promotion: a.promotion + b.promotion };
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
function inWords(played: PlayedWarm | undefined): string {
  if (played === undefined) return 'nothing';
  const over = (cost: number): string => (cost / played.oracle).toFixed(3);
  const fixed = `5m ${over(played['5m'])}, 1h ${over(played['1h'])}`;
  return `${fixed}, chosen ${over(played.chosen)}, refreshed ${over(played.refresh)}, promoted ${over(played.promotion)}`;
}

/** Ratios of the replay itself; the oracle knows one chain of entries, and not those that a setting changed back finds alive. */
async function recorded(): Promise<Readonly<Record<string, string>>> {
  const [short, long, chosen] = [await recordedSessions('5m'), await recordedSessions('1h'), await recordedSessions()];
  const [refresh, promotion] = [await recordedSessions('auto', 'refresh'), await recordedSessions('auto', 'promotion')];
  if (!short.some(({ real }) => real)) return { recorded: 'none on this machine: ../shared/transcripts is absent' };
  return Object.fromEntries(
    short.flatMap(({ name, real, result }, index) => {
      const [hour, auto] = [long[index], chosen[index]];
      if (!real || hour === undefined || auto === undefined) return [];
      const oracle = oracleOf(hour.steps, result.forced, result.ideal, hour.model?.model);
      const fixed = `replay 5m ${result.ratio}, 1h ${hour.result.ratio}, chosen ${auto.result.ratio}`;
      const warm = `refreshed ${refresh[index]?.result.ratio}, promoted (if that works) ${promotion[index]?.result.ratio}`;
      return [[name, `${fixed}, ${warm}, oracle of one chain ${oracle}`]];
    }),
  );
}

function oracleOf(steps: readonly Step[], forced: number, ideal: number, model: string | undefined): string {
  if (model === undefined) return 'unknown';
  return ((play(steps, chargedBy(model)).oracle - forced) / ideal).toFixed(4);
}
