// Chance that a shortened result is needed again: compares the chances that the engine uses with chances fitted on the
// recorded sessions. The details also show, for each session, the chances fitted on the other sessions (leave one out).

import type { Grounds } from '@tidemark/context';
import { chanceOfNeed, GROUNDS } from '@tidemark/context';

import type { Benchmark, Measured } from '../benchmark.ts';
import type { Needs } from '../fit-needs.ts';
import { addNeeds, chanceOf, needsOf } from '../fit-needs.ts';
import { importedSessions } from '../imported-sessions.ts';

export const benchmark: Benchmark = {
  name: 'pruning-needs',
  against: 'the chances fitted on the recorded sessions; the largest difference from a shipped chance',
  target: 0.005,
  run,
};

async function run(): Promise<Measured> {
  const sessions: { readonly name: string; readonly needs: Needs }[] = [];
  for (const { name, records } of await importedSessions()) sessions.push({ name, needs: await needsOf(records()) });
  if (sessions.length === 0) return { ratio: null };
  const all = addNeeds(sessions.map(({ needs }) => needs));
  return {
    ratio: Math.max(...GROUNDS.map((grounds) => Math.abs(chanceOf(all[grounds]) - chanceOfNeed[grounds]))),
    details: Object.fromEntries(
      GROUNDS.map((grounds) => [grounds, `${inWords(all, grounds)}; ${bySession(sessions, grounds)}`]),
    ),
  };
}

function inWords(needs: Needs, grounds: Grounds): string {
  const { needed, seen } = needs[grounds];
  return `${chanceOf(needs[grounds]).toFixed(2)} (${needed} of ${seen}), shipped ${chanceOfNeed[grounds].toFixed(2)}`;
}

function bySession(sessions: readonly { readonly name: string; readonly needs: Needs }[], grounds: Grounds): string {
  const rows = sessions.map(({ name, needs }) => {
    const others = addNeeds(sessions.filter((other) => other.needs !== needs).map((other) => other.needs));
    const { needed, seen } = needs[grounds];
    return `${name} ${needed} of ${seen}, left out ${chanceOf(others[grounds]).toFixed(2)}`;
  });
  return rows.join('; ');
}
