// `tidemark doctor`: is everything as it must be, and what to do where it is not.

import type { Command, CommandContext, Outcome } from '../command.ts';
import type { Check, CheckState } from '../doctor/check.ts';
import type { InspectedSession } from '../doctor/session-checks.ts';
import { inspectSessions } from '../doctor/session-checks.ts';
import type { KeyPresence } from '../doctor/surroundings-checks.ts';
import { checkHome, checkNode, keysIn } from '../doctor/surroundings-checks.ts';
import { repair } from '../doctor/repair.ts';
import { EXIT } from '../exit-codes.ts';
import type { Shown, Style } from '../shown.ts';
import { styled } from '../shown.ts';

/** Looks at the environment and at every session; repairs one when asked. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'check the environment, the keys and every session; repair a damaged one',
  examples: [
    ['tidemark doctor', 'look at everything; exit code 4 when a log is damaged'],
    ['tidemark doctor --repair <session>', 'copy what is sound into a new session'],
    ['tidemark doctor --json', 'as one JSON object'],
  ],
  declare: (command, run) =>
    void command
      .option('--repair <session>', 'copy what is sound of this session into a new one; the old one stays as it is')
      .action((options: Options) =>
        run((context) => (options.repair === undefined ? examine(context) : repair(options.repair, context))),
      ),
};

interface Options {
  readonly repair?: string;
}

async function examine(context: CommandContext): Promise<Outcome> {
  const checks = [checkNode(process.versions.node), await checkHome(context.home)];
  const keys = keysIn(context.environment);
  const sessions: InspectedSession[] = [];
  for await (const session of inspectSessions(await context.store(), context.home)) sessions.push(session);
  const outcome = outcomeOf(checks, sessions);
  context.output.result({ healthy: outcome === EXIT.ok, checks, keys, sessions }, () => [
    ...checks.flatMap(checkLine),
    ...keys.flatMap(keyLine),
    ...sessions.flatMap(sessionLines),
    summary(sessions),
  ]);
  return outcome;
}

function outcomeOf(
  checks: readonly Check[],
  sessions: readonly InspectedSession[],
): typeof EXIT.ok | typeof EXIT.difference | typeof EXIT.corrupt {
  if (sessions.some((session) => session.state === 'failed')) return EXIT.corrupt;
  return checks.some((check) => check.state === 'failed') ? EXIT.difference : EXIT.ok;
}

const STATE_STYLE: { readonly [state in CheckState]: Style } = { good: 'green', warning: 'yellow', failed: 'red' };

function checkLine(check: Check): readonly Shown[] {
  const next = check.next === undefined ? '' : `\n         next: ${check.next}`;
  return [styled(STATE_STYLE[check.state], check.state.padEnd(8)), ` ${check.name}: ${check.found}${next}\n`];
}

function keyLine(key: KeyPresence): readonly Shown[] {
  return checkLine({
    name: 'key',
    state: 'good',
    found: `${key.variable} is ${key.present ? 'set' : 'not set'} (${key.provider})`,
  });
}

function sessionLines(session: InspectedSession): readonly Shown[] {
  const { state, found, next } = session;
  return checkLine({ name: `session ${session.session}`, state, found, ...(next !== undefined && { next }) });
}

function summary(sessions: readonly InspectedSession[]): Shown {
  const damaged = sessions.filter((session) => session.state === 'failed').length;
  const records = sessions.reduce((sum, session) => sum + session.records, 0);
  return `${sessions.length} sessions, ${records} records, ${damaged} damaged`;
}
