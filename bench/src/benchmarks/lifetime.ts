// Cost of the TTLs that the engine chooses, compared with always five minutes, always one hour, and an oracle that
// knows every gap. Uses generated work days, the recorded pauses on which the margin of `chooseLifetime` was fitted,
// and replays of the recordings if the recordings are on this machine.

import type { Benchmark, Measured } from '../benchmark.ts';
import { chargedBy } from '../charged-by.ts';
import type { FittedSession } from '../fit-lifetimes.ts';
import { fitLifetimes, LIMIT, overFixed } from '../fit-lifetimes.ts';
import type { Played } from '../lives-played.ts';
import { addPlayed, play, playChosen } from '../lives-played.ts';
import { MODELS } from '../model-row.ts';
import { playWarm } from '../lives-warmed.ts';
import type { Day, Step } from '../pause-sequences.ts';
import { pauseSequences } from '../pause-sequences.ts';
import { recordedPauses, reportedSession } from '../recorded-pauses.ts';
import { recordedSessions } from '../recorded-sessions.ts';

export const benchmark: Benchmark = {
  name: 'lifetime',
  against: 'billed input with all gaps known beforehand; generated days, the worse of two models',
  target: 1.1,
  run,
};

async function run(): Promise<Measured> {
  const models = MODELS.map((model) => ({ model, days: pauseSequences(1).map((day) => playDay(day, model)) }));
  const totals = models.map(({ days }) => days.map(({ played }) => played).reduce(addWarm));
  return {
    ratio: Math.max(...totals.map(({ chosen, oracle }) => chosen / oracle)),
    details: {
      ...Object.fromEntries(models.flatMap(({ model, days }) => days.map((day) => describe(model, day)))),
      ...Object.fromEntries(models.map(({ model }, index) => [`${model}, all`, inWords(totals[index])])),
      ...fitted(),
      ...(await recorded()),
    },
  };
}

/**
 * Returns one row for each recorded session: its costs divided by its ideal cost, and the cost of the chosen TTLs
 * divided by the cost of the better fixed TTL. A last row lists the sessions above the limit.
 */
function fitted(): Readonly<Record<string, string>> {
  const sessions = [...recordedPauses(), reportedSession()];
  const table = fitLifetimes(sessions, chargedBy);
  const dear = sessions.map(({ steps }) => ({
    played: play(steps, chargedBy('claude-opus-5-5')),
    cost: playChosen(steps, chargedBy('claude-opus-5-5')),
  }));
  const above = table.filter(({ played }) => overFixed(played, played.chosen) > LIMIT).map(({ name }) => name);
  return {
    ...Object.fromEntries(
      table.map((row, index) => {
        const { played, cost } = dear[index] ?? { played: row.played, cost: Number.NaN };
        return [`pauses of ${row.name}`, `${rowInWords(row)}; at Opus 5.5 ${overFixed(played, cost).toFixed(3)}`];
      }),
    ),
    [`above ${LIMIT} of the better fixed life`]: above.join(', ') || 'none',
  };
}

function rowInWords({ played, ideal, billed, leftOut }: FittedSession): string {
  const ratio = (cost: number): string => (cost / ideal).toFixed(3);
  const lives = `5m ${ratio(played['5m'])}, 1h ${ratio(played['1h'])}, oracle ${ratio(played.oracle)}`;
  const then = billed === undefined ? 'billed then not comparable' : `billed then ${ratio(billed)}`;
  const auto = `auto ${ratio(played.chosen)}, left out ${ratio(leftOut.cost)} (margin ${leftOut.margin})`;
  const over = `${overFixed(played, played.chosen).toFixed(3)} and ${overFixed(played, leftOut.cost).toFixed(3)}`;
  return `${auto}, ${lives}, ${then}; over the better fixed life ${over}`;
}

interface PlayedDay {
  readonly name: string;
  readonly played: PlayedWarm;
}

/**
 * Costs of one stream, with two additional costs for keeping the cache warm in pauses: by reads (`refresh`), and by
 * promotions if they work (`promotion`).
 */
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

function describe(model: string, { name, played }: PlayedDay): [string, string] {
  return [`${model}, ${name}`, inWords(played)];
}

function inWords(played: PlayedWarm | undefined): string {
  if (played === undefined) return 'nothing';
  const over = (cost: number): string => (cost / played.oracle).toFixed(3);
  const fixed = `5m ${over(played['5m'])}, 1h ${over(played['1h'])}`;
  return `${fixed}, chosen ${over(played.chosen)}, refreshed ${over(played.refresh)}, promoted ${over(played.promotion)}`;
}

/**
 * Returns the ratios of the replays of the recorded sessions. The oracle models one chain of cache entries. It does not
 * know entries that are still in the cache when a setting is changed back.
 */
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
