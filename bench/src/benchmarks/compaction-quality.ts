// Quality of compactions: measures how much later-needed content a compaction keeps, and at what cost. Compares
// Tidemark's own compaction with strategies of the same size, without asking a model. Method:
// docs/decisions/2026-11-22-measuring-compactions.md.

import type { Benchmark, Measured } from '../benchmark.ts';
import type { CanaryScore } from '../compaction-quality/canary-scores.ts';
import { keptBy, scoreRounds } from '../compaction-quality/canary-scores.ts';
import { canaryRounds } from '../compaction-quality/canary-session.ts';
import { cutSessions } from '../compaction-quality/cut-sessions.ts';
import type { Goal } from '../compaction-quality/goals.ts';
import { canaryGoal, recallGoals } from '../compaction-quality/goals.ts';
import { qualityTable } from '../compaction-quality/quality-table.ts';
import type { Recall } from '../compaction-quality/recall.ts';
import { OWN, recallAt } from '../compaction-quality/recall.ts';
import { BASELINES } from '../compaction-quality/strategies.ts';

export const benchmark: Benchmark = {
  name: 'compaction-quality',
  against: 'the number of missed goals of a compaction',
  target: 0,
  run,
};

async function run(): Promise<Measured> {
  const rounds = await canaryRounds();
  const own = scoreRounds(rounds.map(({ kept }) => kept));
  const others = Object.entries(BASELINES).map(([name, keep]) => [name, scoreRounds(keptBy(keep, rounds))] as const);
  const canaries = new Map([[OWN, own], ...others]);
  const sessions = await cutSessions();
  const recalls: Recall[] = [];
  for (const session of sessions ?? []) recalls.push(...(await recallAt(session)));
  const goals = [canaryGoal(own), ...(sessions === undefined ? [] : recallGoals(recalls))];
  const kinds = [...canaries].map(([strategy, score]) => [`canary rounds, ${strategy}:`, kindsOf(score)]);
  return {
    ratio: sessions === undefined ? null : goals.filter(({ reached }) => !reached).length,
    details: {
      ...Object.fromEntries(goals.map(({ name, ...goal }) => [`${name}:`, inWords(goal)])),
      ...Object.fromEntries(kinds),
      ...(sessions === undefined
        ? { recordings: 'none on this machine: ../shared/transcripts is absent, recall was skipped' }
        : {}),
    },
    table: qualityTable(canaries, recalls),
    unprinted: Object.fromEntries(recalls.map(describe)),
  };
}

function inWords({ seen, wanted, reached }: Omit<Goal, 'name'>): string {
  const beyond = wanted > 1 ? ' (no recall is above 1)' : '';
  return `${reached ? 'reached' : 'missed'}, ${seen.toFixed(2)} of ${wanted.toFixed(2)}${beyond}`;
}

function kindsOf({ kinds }: CanaryScore): string {
  return Object.entries(kinds)
    .map(([kind, { held, of }]) => `${kind} ${held}/${of}`)
    .join(', ');
}

function describe({
  session,
  cut,
  size,
  strategy,
  said,
  results,
  withReading,
  before,
  kept,
  cost,
}: Recall): [string, string] {
  const shares = `said ${said.kept}/${said.of}, results ${results.kept}/${results.of}, with reading ${withReading.kept}`;
  return [`${session} ${cut}, ${size}: ${strategy}`, `${shares}, ${kept} of ${before} tokens, cost ${cost.toFixed(3)}`];
}
