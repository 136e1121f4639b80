// `tidemark sessions`: lists the sessions, newest first. Each has a gauge that shows how full its context is.

import { basename, resolve } from 'node:path';

import type { SessionFilter, SessionSummary, UnreadableSession } from '@tidemark/log';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { matchingSessions } from '../arguments/find-session.ts';
import type { Narrowing } from '../frame/fit-table.ts';
import { formatCount } from '../frame/numbers.ts';
import { plainSize } from '../frame/plain-size.ts';
import type { GaugedSession } from '../reports/session-gauges.ts';
import { gaugeCell, gaugeSessions, shortGaugeCell } from '../reports/session-gauges.ts';
import type { PlacedSession } from '../reports/session-tree.ts';
import { atRoot, flatTree } from '../reports/session-tree.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';
import type { TableOf } from '../frame/table.ts';

/** Lists the sessions of the store, newest first. */
export const sessions: Command = {
  name: 'sessions',
  summary: 'list the sessions, newest first',
  examples: [
    ['tidemark sessions', 'all of them'],
    ['tidemark sessions --workspace .', 'those of the current folder'],
    ['tidemark sessions parser', 'those with this word in their title'],
    ['tidemark sessions --tree', 'with forks and subagents below their parent session'],
    ['tidemark sessions --json', 'as one JSON object'],
  ],
  declare: (command, run) =>
    void command
      .argument('[name]', 'only sessions whose id begins with this text, or whose title contains it')
      .option('--workspace <folder>', 'only the sessions of this folder')
      .option('--tree', 'list forks and subagents below their parent session')
      .action((name: string | undefined, options: SessionsFlags) => run((context) => list(name, options, context))),
};

interface SessionsFlags {
  readonly workspace?: string;
  readonly tree?: true;
}

async function list(
  name: string | undefined,
  options: SessionsFlags,
  context: CommandContext,
): Promise<CommandOutcome> {
  const filter: SessionFilter = options.workspace === undefined ? {} : { workspace: resolve(options.workspace) };
  const store = await context.store();
  const all = await store.sessions(filter);
  const found = name === undefined ? all : { ...all, sessions: matchingSessions(name, all.sessions, 'any') };
  const gauged = await gaugeSessions(store, context.home, found.sessions);
  const listed = options.tree === true ? flatTree(gauged) : gauged.map((session) => atRoot(session));
  const value = options.tree === true ? listed.map(({ session, depth }) => ({ ...session, depth })) : gauged;
  context.output.result({ ...found, sessions: value }, () => headline(found.sessions.length, name, context.home));
  if (listed.length > 0) context.output.table(tableOf(listed));
  if (context.output.json) return undefined;
  for (const each of found.unreadable) context.output.note(unreadable(each));
  for (const each of unreadNotes(gauged)) context.output.note(each);
  return undefined;
}

const HEAD = ['session', 'created', 'changed', 'size', 'gauge', 'from', 'workspace', 'title'] as const;

function tableOf(listed: readonly PlacedSession<GaugedSession>[]): TableOf {
  const short = shortIds(listed.map(({ session }) => session.session));
  const narrowing: readonly Narrowing[] = [
    { column: 'session', cells: listed.map(({ session, depth }) => idCell(short.get(session.session) ?? '', depth)) },
    { column: 'from', cells: listed.map(({ session }) => shortFrom(session)) },
    { column: 'created', leftOut: true },
    { column: 'title', least: 40 },
    { column: 'gauge', cells: listed.map(({ session }) => shortGaugeCell(session)) },
    { column: 'size', leftOut: true },
    { column: 'workspace', cells: listed.map(({ session }) => basename(session.workspace)) },
    { column: 'title', least: 24 },
    { column: 'from', leftOut: true },
    { column: 'workspace', least: 12 },
    { column: 'gauge', leftOut: true },
    { column: 'workspace', leftOut: true },
    { column: 'title', least: 10 },
    { column: 'changed', leftOut: true },
  ];
  return { head: HEAD, rows: listed.map(row), numbers: [3, 4], optional: [5, 6], narrowing };
}

/** Length of a short id. Ids that begin with the same characters are longer. */
const SHORT_ID = 8;

/** Returns for each id its shortest start that no other id of the list has. */
function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = ids.toSorted();
  const shared = (one: string, other = ''): number => {
    let length = 0;
    while (length < one.length && one[length] === other[length]) length += 1;
    return length;
  };
  return new Map(
    sorted.map((id, index) => {
      const same = Math.max(shared(id, sorted[index - 1]), shared(id, sorted[index + 1]));
      return [id, id.slice(0, Math.max(SHORT_ID, same + 1))];
    }),
  );
}

function idCell(id: string, depth: number): Shown {
  return [depth === 0 ? '' : `${'  '.repeat(depth - 1)}└ `, withStyle('cyan', id)];
}

function row({ session, depth }: PlacedSession<GaugedSession>): readonly Shown[] {
  return [
    idCell(session.session, depth),
    toTheMinute(session.createdAt),
    toTheMinute(session.changedAt),
    session.bytes === undefined ? '' : plainSize(session.bytes),
    gaugeCell(session),
    fromOf(session),
    session.workspace,
    session.title ?? '',
  ];
}

function fromOf({ parent, startedBy }: SessionSummary): string {
  if (parent !== undefined) return `${parent.session}@${parent.position}`;
  if (startedBy === undefined) return '';
  const { session, agent, model } = startedBy;
  const as = [agent, model].filter((part) => part !== undefined).join(', ');
  return `subagent of ${session}${as === '' ? '' : ` (${as})`}`;
}

function shortFrom({ parent, startedBy }: SessionSummary): string {
  if (parent !== undefined) return 'fork';
  return startedBy === undefined ? '' : 'subagent';
}

function headline(count: number, name: string | undefined, home: string): Shown {
  if (count === 0 && name !== undefined) return `no session in ${home} has the id or the title ${JSON.stringify(name)}`;
  if (count === 0) return `no sessions in ${home}; \`tidemark "what to do"\` creates one`;
  return `${count} ${count === 1 ? 'session' : 'sessions'} in ${home}`;
}

function toTheMinute(at: string | undefined): string {
  return at === undefined ? '' : `${at.slice(0, 10)} ${at.slice(11, 16)}`;
}

function unreadable(each: UnreadableSession): Shown {
  return [withStyle('yellow', 'unreadable'), `: ${each.session}: ${each.reason}; see \`tidemark doctor\``];
}

/**
 * Returns the notes on sessions without a gauge. One line counts the logs that are too long to read. Each damaged
 * session has a line of its own.
 */
function unreadNotes(gauged: readonly GaugedSession[]): readonly Shown[] {
  const long = gauged.filter((each) => each.unread === 'long').length;
  const damaged = gauged.filter((each) => each.unread === 'damaged');
  return [
    ...(long === 0
      ? []
      : [`the gauge of ${formatCount(long, 'session')} was not read because of long logs; \`tidemark show\` reads it`]),
    ...damaged.map(({ session }): Shown => [
      withStyle('yellow', 'damaged'),
      `: ${session}: its gauge cannot be read; see \`tidemark doctor\``,
    ]),
  ];
}
