// Measures the billed input of scripted sessions on each provider's simulator. A change of tools forces a rewrite on a
// model that accepts tools only in the front. Such a session is shown as `forced` and does not count in the ratio.

import type { Benchmark, Measured } from '../benchmark.ts';
import { largest, sum } from '../figures.ts';
import { PROVIDER_MODELS } from '../model-row.ts';
import type { ScriptedSession } from '../scripted-sessions.ts';
import { isForced, providerSessions, ratioOf } from '../scripted-sessions.ts';

export const benchmark: Benchmark = {
  name: 'billed-providers',
  against: 'every new token written once, every old one read; the worst session of each provider',
  target: 1.02,
  run,
};

async function run(): Promise<Measured> {
  const sessions = await providerSessions();
  const scripts = [...new Set(sessions.map(({ script }) => script.name))];
  const rows = scripts.map((name) => [name, inWords(sessions.filter(({ script }) => script.name === name))] as const);
  return {
    ratio: largest(sessions.filter((one) => !isForced(one)).map(ratioOf)),
    details: {
      models: PROVIDER_MODELS.join(' '),
      ...Object.fromEntries(rows),
      calls: sum(sessions.map(({ driven }) => driven.calls)),
      unlabelled: sum(sessions.map(({ driven }) => driven.unlabelled)),
    },
  };
}

function inWords(sessions: readonly ScriptedSession[]): string {
  return sessions.map((one) => `${ratioOf(one).toFixed(3)}${isForced(one) ? ' forced' : ''}`).join(', ');
}
