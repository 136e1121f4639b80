// `tidemark doctor`: checks the environment, the sessions and the artifacts, and prints what to do if a check fails.

import { tmpdir } from 'node:os';

import { defined } from '@tidemark/core';
import { isProviderName, PROVIDERS, sandboxState } from '@tidemark/kit';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import type { DoctorCheck, CheckState } from '../doctor/check.ts';
import type { InspectedSession } from '../doctor/session-checks.ts';
import { inspectSessions } from '../doctor/session-checks.ts';
import {
  checkHome,
  checkKeyring,
  checkPromise,
  checkRuntime,
  checkSandbox,
  checkSettings,
  checkVariables,
} from '../doctor/surroundings-checks.ts';
import { checkArtifacts, checkSize } from '../doctor/storage-checks.ts';
import { collect } from '../doctor/collect.ts';
import { repair } from '../doctor/repair.ts';
import { EXIT } from '../frame/exit-codes.ts';
import { CliError } from '../frame/failure.ts';
import type { KeyPresence } from '../settings/key-presence.ts';
import { keysOf, keyWords } from '../settings/key-presence.ts';
import { formatCount, formatNumber } from '../frame/numbers.ts';
import type { Shown, Style } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';

/**
 * Checks the environment, every session and every artifact. On request, repairs a session or removes unused artifacts.
 */
export const doctor: Command = {
  name: 'doctor',
  summary: 'check the environment, the keys and every session; repair a damaged session; remove unused artifacts',
  examples: [
    ['tidemark doctor', 'check everything; exit code 4 if a log is damaged'],
    ['tidemark doctor --repair <session>', 'copy all recoverable records into a new session'],
    ['tidemark doctor --gc --dry-run', 'report the number and size of unused artifacts'],
    ['tidemark doctor --problems', 'only what is not good'],
    ['tidemark doctor --json', 'as one JSON object'],
  ],
  declare: (command, run) =>
    void command
      .option(
        '--repair <session>',
        'copy the intact records of the session with this id or title into a new one; the damaged session stays unchanged',
      )
      .option('--gc', 'remove the artifacts that no log names; safe while sessions run')
      .option('--dry-run', 'with `--gc`: report what would be removed, and remove nothing')
      .option('--problems', 'show only what is not good, and how many checks were good')
      .action((options: DoctorFlags) => run((context) => act(options, context))),
};

interface DoctorFlags {
  readonly repair?: string;
  readonly gc?: boolean;
  readonly dryRun?: boolean;
  readonly problems?: true;
}

function act(
  { repair: session, gc = false, dryRun = false, problems }: DoctorFlags,
  context: CommandContext,
): Promise<CommandOutcome> {
  if (session !== undefined && gc)
    throw new CliError('cli/usage', '`--repair` cannot be combined with `--gc`', 'use one of them');
  if (dryRun && !gc)
    throw new CliError('cli/usage', '`--dry-run` needs `--gc`', 'use `tidemark doctor --gc --dry-run`');
  if (gc) return collect(dryRun, context);
  return session === undefined ? examine(context, problems === true) : repair(session, context);
}

async function examine(context: CommandContext, onlyProblems: boolean): Promise<CommandOutcome> {
  const { home } = context;
  const storage = [await checkArtifacts(home), await checkSize(home)];
  const sandbox = checkSandbox(sandboxState(tmpdir()));
  const promises = (await context.tryPromises()).map(checkPromise);
  const around = [
    await checkSettings(context),
    await checkKeyring(context),
    await checkVariables(context),
    sandbox,
    ...promises,
  ];
  const checks = [checkRuntime(process.versions), await checkHome(home), ...around, ...storage];
  const keys = await keysOf(context);
  const sessions: InspectedSession[] = [];
  for await (const session of inspectSessions(await context.store(), home)) sessions.push(session);
  const outcome = outcomeOf(checks, sessions);
  context.output.result({ healthy: outcome === EXIT.ok, checks, keys, sessions }, () =>
    onlyProblems
      ? problemLines(checks, keys, sessions)
      : [
          ...checks.flatMap(checkLine),
          ...keys.flatMap(keyLine),
          ...localLine(),
          ...sessions.flatMap(sessionLines),
          summary(sessions),
        ],
  );
  return outcome;
}

function outcomeOf(
  checks: readonly DoctorCheck[],
  sessions: readonly InspectedSession[],
): typeof EXIT.ok | typeof EXIT.difference | typeof EXIT.corrupt {
  const isDamaged = sessions.some(isFailed) || checks.some((check) => check.name === 'artifacts' && isFailed(check));
  if (isDamaged) return EXIT.corrupt;
  return checks.some(isFailed) ? EXIT.difference : EXIT.ok;
}

function isFailed({ state }: { readonly state: CheckState }): boolean {
  return state === 'failed';
}

const STATE_STYLE: { readonly [state in CheckState]: Style } = { good: 'green', warning: 'yellow', failed: 'red' };

function checkLine(check: DoctorCheck): readonly Shown[] {
  const next = check.next === undefined ? '' : `\n         next: ${check.next}`;
  return [withStyle(STATE_STYLE[check.state], check.state.padEnd(8)), ` ${check.name}: ${check.found}${next}\n`];
}

function keyLine(key: KeyPresence): readonly Shown[] {
  return checkLine({
    name: 'key',
    state: 'good',
    found: `${keyWords(key)} (${key.provider}${untestedWords(key.provider)})`,
  });
}

function untestedWords(provider: string): string {
  const untested = isProviderName(provider) ? PROVIDERS[provider].untested : undefined;
  return untested === undefined ? '' : `; ${untested}`;
}

/** Returns a line about the servers that need no key. */
function localLine(): readonly Shown[] {
  const local = Object.entries(PROVIDERS).flatMap(([name, { baseURL, variable, untested }]) =>
    baseURL === undefined || variable !== undefined ? [] : [{ text: `${name} at ${baseURL}`, untested }],
  );
  const found = `servers that need no key: ${local.map(({ text }) => text).join(', ')}; ${local[0]?.untested ?? ''}`;
  return checkLine({ name: 'local', state: 'good', found });
}

function sessionLines(session: InspectedSession): readonly Shown[] {
  const { state, found, next } = session;
  return checkLine(defined({ name: `session ${session.session}`, state, found, next }));
}

/** Returns what is not good, and a line that counts the rest. */
function problemLines(
  checks: readonly DoctorCheck[],
  keys: readonly KeyPresence[],
  sessions: readonly InspectedSession[],
): Shown {
  const problems = checks.filter(isProblem);
  const damaged = sessions.filter(isProblem);
  const good = checks.length - problems.length;
  const held = keys.filter(({ present, inKeyring }) => present || inKeyring === true).map(({ provider }) => provider);
  return [
    ...problems.flatMap(checkLine),
    ...damaged.flatMap(sessionLines),
    `${formatCount(good, 'check')} good, ${formatNumber(problems.length)} not; ${summary(sessions)}\n`,
    `keys: ${held.length === 0 ? 'none is set' : held.join(', ')}; \`tidemark doctor\` shows each check`,
  ];
}

function isProblem({ state }: { readonly state: CheckState }): boolean {
  return state !== 'good';
}

function summary(sessions: readonly InspectedSession[]): string {
  const damaged = sessions.filter((session) => session.state === 'failed').length;
  const records = sessions.reduce((sum, session) => sum + session.records, 0);
  return `${formatCount(sessions.length, 'session')}, ${formatCount(records, 'record')}, ${formatNumber(damaged)} damaged`;
}
