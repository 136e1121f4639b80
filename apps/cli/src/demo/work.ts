// The demo: an agent mends a sample project in a folder of its own, with real tools and a scripted model. Its process is
// killed once, and another one goes on. Then what each call cost, whether anything needs explaining, and every byte again.

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { explainSession, verifySession } from '@tidemark/agent';
import { defaultCatalog, findModel } from '@tidemark/model';
import { createSimulator } from '@tidemark/simulator';
import { openNdjsonStore } from '@tidemark/store-ndjson';

import { describeExplanation } from '../explanation.ts';
import type { CommandContext, Outcome } from '../command.ts';
import { encoders } from '../encoders.ts';
import { EXIT } from '../exit-codes.ts';
import { CliError } from '../failure.ts';
import { dollars, grouped, percent } from '../numbers.ts';
import type { Shown } from '../shown.ts';
import { styled } from '../shown.ts';
import type { Ended, Workplace } from './agent-process.ts';
import { startAgent } from './agent-process.ts';
import { FATAL_CALL, PROMPT, SCENARIO } from './scenario.ts';
import type { Sight } from './show-work.ts';
import { openSight } from './show-work.ts';
import { sumUp } from './sum-up.ts';
import type { Sum } from './sum-up.ts';

const MODEL = 'claude-sonnet-5-5';
const PROJECT = fileURLToPath(new URL('../../demo/project', import.meta.url));

/** Runs the demo. */
export async function workOnProject(context: CommandContext): Promise<Outcome> {
  const capabilities = findModel(defaultCatalog(), MODEL, 'anthropic');
  if (capabilities === undefined) throw new CliError('cli/not-found', `the catalog has no ${MODEL}`, 'restore it');
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-demo-'));
  let arrived = 0;
  let strike = (): void => undefined;
  const simulator = createSimulator({
    scenario: SCENARIO,
    onRequest: () => {
      if (arrived++ === FATAL_CALL) strike();
      return undefined;
    },
  });
  const listening = await simulator.listen();
  try {
    const place: Workplace = {
      project: join(folder, 'shop'),
      home: join(folder, 'home'),
      url: listening.url,
      // The Node that runs this runs the project's tests too, whatever else is installed.
      environment: { PATH: [dirname(process.execPath), context.environment['PATH'] ?? ''].join(delimiter) },
    };
    await cp(PROJECT, place.project, { recursive: true });
    context.output.line([
      styled('bold', 'An agent mends a small shop'),
      `: real tools in a folder of its own, the official SDK, and the simulator\nat ${place.url} in the provider's place.\n\n> ${PROMPT}\n`,
    ]);
    const sight = openSight(context.output, simulator.calls, capabilities);
    await lifeToBeKilled(place, sight, (kill) => (strike = kill));
    const [cut] = simulator.calls.slice(-1);
    if (cut !== undefined) sight.killed(cut);
    await lifeThatEnds(place, sight);
    return await conclude(place.home, sumUp(simulator.calls, capabilities), context);
  } finally {
    await listening.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The agent begins, and its process is killed. */
async function lifeToBeKilled(place: Workplace, sight: Sight, arm: (kill: () => void) => void): Promise<void> {
  const agent = startAgent(['run', '--model', MODEL, PROMPT], place, sight.show);
  arm(() => agent.kill());
  const ended = await agent.ended;
  if (ended.signal !== 'SIGKILL') throw unexpected(ended);
}

/** Another process goes on with the session to its end. */
async function lifeThatEnds(place: Workplace, sight: Sight): Promise<void> {
  const ended = await startAgent(['resume'], place, sight.show).ended;
  if (ended.exit !== 0) throw unexpected(ended);
}

function unexpected({ exit, signal, complaints }: Ended): CliError {
  const how = exit === null ? `was ended by ${signal}` : `ended with ${exit}`;
  return new CliError(
    'cli/refused',
    `the agent of the demo ${how}: ${complaints}`,
    'run the demo again; if it stays so, please report it',
  );
}

async function conclude(home: string, sum: Sum, { output }: CommandContext): Promise<Outcome> {
  const store = openNdjsonStore({ home });
  const { sessions } = await store.sessions();
  const [session] = sessions.map((one) => one.session);
  if (session === undefined) return EXIT.bug;
  const { explained } = await explainSession(store, session, encoders);
  const verified = await verifySession(store, session, { encoders });
  const whole = verified.differences.length === 0 && verified.breaks.length === 0;
  const { records, requests, differences } = verified;
  const summary = {
    ok: whole,
    ...sum,
    explained: explained.length,
    verified: { records, requests, differences: differences.length },
  };
  output.result(summary, () => [
    ...costs(sum),
    styled('bold', 'why'),
    '     ',
    ...(explained.length === 0
      ? ['nothing to explain: each request extends the one before it and read all it could']
      : explained.flatMap(describeExplanation)),
    '\n',
    styled('bold', 'verify'),
    `  ${requests} requests rebuilt from ${records} records, `,
    differences.length === 0 ? 'every byte the same\n\n' : styled('red', 'some differ\n\n'),
    ...NEXT,
  ]);
  return whole ? undefined : EXIT.difference;
}

function costs({ billed, uncached, cost, ideal }: Sum): readonly Shown[] {
  return [
    '\n',
    styled('bold', 'cost'),
    `    ${dollars(cost)} in all; for input ${grouped(billed)}, in tokens at the base price: ${percent(billed, uncached)} of uncached,\n`,
    `        ${(billed / ideal).toFixed(3)} of the ideal (each new token written once, each old one read)\n`,
  ];
}

const NEXT: readonly Shown[] = [
  styled('bold', 'next'),
  '    with a key in ANTHROPIC_API_KEY (docs/guides/02-first-session.md: in folders of your own):\n  npx tidemark "fix the failing test"  asks before it changes anything\nwithout one, on a transcript of your own (pi, Claude Code):\n  npx tidemark replay <file>           what it cost, and what it had to',
];
