// `tidemark move`: moves a session with its family to another store: a folder or a PostgreSQL database.

import { verifySession } from '@tidemark/agent';
import { defined } from '@tidemark/core';
import type { Log, SessionId } from '@tidemark/log';
import type { MovePlan, MoveResult, OpenStore } from '@tidemark/stores';
import { join, resolve } from 'node:path';

import type { SessionSearch } from '../arguments/find-session.ts';
import { findSession, seekSession } from '../arguments/find-session.ts';
import type { SessionFlags } from '../arguments/session-argument.ts';
import { declareSession, requiredSession } from '../arguments/session-argument.ts';
import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { formatCount } from '../frame/numbers.ts';
import { plainSize } from '../frame/plain-size.ts';
import { askBelow } from '../present/ask-person.ts';
import { encoders } from '../reports/encoders.ts';
import { canAsk } from '../settings/trust-in.ts';

/** Variable with the address of a database, so that no password is in the list of processes. */
const DATABASE_URL = 'TIDEMARK_DATABASE_URL';

/** Command `tidemark move`, which moves a session with its forks and subagents to another store. */
export const move: Command = {
  name: 'move',
  summary: 'move a session, with its ancestors, forks and subagents, to a PostgreSQL database or another folder',
  examples: [
    ['tidemark move <session> --to database', `to the database at \`${DATABASE_URL}\`; asks before it begins`],
    ['tidemark move <session> --to postgres://program@db/tidemark --yes', 'to that database, without a question'],
    ['tidemark move <session> --from database --to ~/.tidemark', 'back into a folder'],
    ['tidemark move <session> --to ../backup --keep', 'only a copy; run again, it adds what is new'],
  ],
  declare: (command, run) =>
    void declareSession(command)
      .requiredOption('--to <store>', `a folder, \`postgres://…\`, or \`database\`: the address in ${DATABASE_URL}`)
      .option('--from <store>', 'store that has the session, in the same form. Default: the home.')
      .option(
        '--objects <place>',
        'artifacts of the database: a folder or `s3://bucket/prefix`. Default: the folder `objects` in the home.',
      )
      .option('--tenant <name>', 'tenant in the database. Default: `default`.')
      .option('--migrate', 'first create or update the schema of the database; the role must own it')
      .option('--keep', 'copy only: keep the sessions where they are')
      .option('--yes', 'begin without a question')
      .action((name: string | undefined, flags: MoveFlags) => run((context) => act(name, flags, context))),
};

interface MoveFlags extends SessionFlags {
  readonly to: string;
  readonly from?: string;
  readonly objects?: string;
  readonly tenant?: string;
  readonly migrate?: true;
  readonly keep?: true;
  readonly yes?: true;
}

async function act(name: string | undefined, flags: MoveFlags, context: CommandContext): Promise<CommandOutcome> {
  const [source, target] = [addressOf(flags.from ?? context.home, context), addressOf(flags.to, context)];
  if (source === target)
    throw new CliError('cli/usage', 'the session would move to the store that it is in', 'use another `--to`');
  const from = await openStore(source, flags, context);
  try {
    const to = await openStore(target, flags, context);
    try {
      return await moveBetween(name, flags, { from, to }, context);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

function addressOf(store: string, { environment, folder }: CommandContext): string {
  if (store.includes('://')) return store;
  if (store !== 'database') return resolve(folder, store);
  const address = environment[DATABASE_URL] ?? '';
  if (address !== '') return address;
  throw new CliError('cli/usage', `${DATABASE_URL} is not set`, 'set it to postgres://user:password@host/name');
}

async function openStore(address: string, flags: MoveFlags, context: CommandContext): Promise<OpenStore> {
  // This package can load the client of a database. It is therefore imported only when it is needed.
  const { openStoreAt } = await import('@tidemark/stores');
  const { folder, home, environment } = context;
  const asked = flags.objects ?? join(home, 'objects');
  const objects = asked.includes('://') ? asked : resolve(folder, asked);
  const { tenant, migrate } = flags;
  try {
    return await openStoreAt({ address, objects, environment, ...defined({ tenant, migrate }) });
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new CliError('cli/usage', cause.message, 'use a folder, `postgres://…` or `database`', cause);
  }
}

interface BothStores {
  readonly from: OpenStore;
  readonly to: OpenStore;
}

async function moveBetween(
  name: string | undefined,
  flags: MoveFlags,
  { from, to }: BothStores,
  context: CommandContext,
): Promise<CommandOutcome> {
  const { moveSessions, planMove } = await import('@tidemark/stores');
  const session = await sessionIn(name, flags, { from, to }, context);
  const plan = await planMove(from.log, to.log, session);
  const keep = flags.keep === true;
  if (plan.sessions.length > 0) await confirm(plan, { from, to }, flags, context);
  const result = await moveSessions({
    from: from.log,
    to: to.log,
    plan,
    keep,
    describe,
    onPhase: (phase, of) => {
      if (phase === 'records' && of !== undefined) context.output.note(`copying ${of}`);
    },
  });
  const moved = { session, from: from.place, to: to.place, kept: keep, ...withoutKept(result) };
  context.output.result(moved, () => report(result, keep, to.place));
  return undefined;
}

function withoutKept({ kept, ...rest }: MoveResult): object {
  return { ...rest, referred: kept };
}

/** Returns the result of `verify` as text. It must be the same in both stores. */
async function describe(log: Log, session: SessionId): Promise<string> {
  return JSON.stringify(await verifySession(log, session, { encoders }));
}

/** Finds the session in the source, or in the other store if an interrupted move has removed it. */
async function sessionIn(
  name: string | undefined,
  flags: MoveFlags,
  { from, to }: BothStores,
  context: CommandContext,
): Promise<SessionId> {
  const search = ({ log }: OpenStore): SessionSearch => ({
    folder: context.folder,
    environment: context.environment,
    output: context.output,
    store: async () => log,
  });
  if (name === undefined || flags.last === true) return requiredSession(name, flags, search(from));
  return (await seekSession(name, search(from))) ?? findSession(name, search(to));
}

/** Shows what will move, and asks. */
async function confirm(
  { sessions }: MovePlan,
  { from, to }: BothStores,
  { yes = false, keep = false }: { readonly yes?: boolean; readonly keep?: boolean },
  context: CommandContext,
): Promise<void> {
  const size = sessions.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
  const what = `${keep ? 'copy' : 'move'} ${formatCount(sessions.length, 'session')} (${plainSize(size)} of records, and their artifacts) from ${from.place} to ${to.place}`;
  const lines = sessions.map(({ session, bytes = 0, parent, startedBy }) => {
    const kind = parent !== undefined ? `fork of ${parent.session}` : startedBy && `subagent of ${startedBy.session}`;
    return `  ${session}  ${plainSize(bytes)}${kind === undefined ? '' : `  ${kind}`}`;
  });
  if (yes || !canAsk(context)) for (const line of [what, ...lines]) context.output.note(line);
  if (yes) return;
  if (!canAsk(context))
    throw new CliError(
      'cli/usage',
      'no question can be asked here: a question needs a terminal, and no `--json`',
      'check the list above, then add `--yes`',
    );
  const { input, signal } = context;
  const asked = { above: [what, ...lines], again: [what], asked: [], prompt: 'begin? (y/n) ' };
  const answer = await askBelow(asked, { input, signal });
  if (!['y', 'yes'].includes(answer?.trim().toLowerCase() ?? ''))
    throw new CliError('cli/refused', 'nothing was moved', 'run the command again, and answer `y`');
}

function report({ sessions, artifacts, missing, undo, kept }: MoveResult, keep: boolean, place: string): string {
  const records = sessions.reduce((sum, one) => sum + one.records, 0);
  if (sessions.length === 0) return `nothing to move: ${place} has the session already`;
  const lines = [
    `${keep ? 'copied' : 'moved'} ${formatCount(sessions.length, 'session')} to ${place}: ${formatCount(records, 'record')}, every byte read back and equal`,
    `  ${formatCount(artifacts, 'artifact')} and ${formatCount(undo, 'content')} of changed files were copied; snapshots are computed again`,
    ...(missing.length === 0 ? [] : [`  ${formatCount(missing.length, 'artifact')} were missing before the move`]),
    ...(kept.length === 0 ? [] : [`  not removed, because another session refers to it: ${kept.join(', ')}`]),
  ];
  return lines.join('\n');
}
