// `tidemark sessions`: what is kept, newest first.

import { resolve } from 'node:path';

import type { SessionFilter, SessionSummary, UnreadableSession } from '@tidemark/log';

import type { Command, CommandContext, Outcome } from '../command.ts';
import { plainSize } from '../plain-size.ts';
import type { Shown } from '../shown.ts';
import { styled } from '../shown.ts';

/** Lists the sessions of the store. */
export const sessions: Command = {
  name: 'sessions',
  summary: 'list the sessions, newest first',
  examples: [
    ['tidemark sessions', 'all of them'],
    ['tidemark sessions --workspace .', 'those of the current folder'],
    ['tidemark sessions --json', 'as one JSON object'],
  ],
  declare: (command, run) =>
    void command
      .option('--workspace <folder>', 'only the sessions of this folder')
      .action((options: Options) => run((context) => list(options, context))),
};

interface Options {
  readonly workspace?: string;
}

async function list(options: Options, context: CommandContext): Promise<Outcome> {
  const filter: SessionFilter = options.workspace === undefined ? {} : { workspace: resolve(options.workspace) };
  const store = await context.store();
  const found = await store.sessions(filter);
  context.output.result(found, () => headline(found.sessions.length, context.home));
  if (found.sessions.length > 0) context.output.table({ head: HEAD, rows: found.sessions.map(row), numbers: [3] });
  if (!context.output.json) for (const each of found.unreadable) context.output.note(unreadable(each));
  return undefined;
}

const HEAD = ['session', 'created', 'changed', 'size', 'from', 'workspace', 'title'] as const;

function row(session: SessionSummary): readonly Shown[] {
  return [
    styled('cyan', session.session),
    toTheMinute(session.createdAt),
    toTheMinute(session.changedAt),
    session.bytes === undefined ? '' : plainSize(session.bytes),
    session.parent === undefined ? '' : `${session.parent.session}@${session.parent.position}`,
    session.workspace,
    session.title ?? '',
  ];
}

function headline(count: number, home: string): Shown {
  if (count === 0) return `no sessions in ${home}; \`tidemark import <transcript>\` makes one`;
  return `${count} ${count === 1 ? 'session' : 'sessions'} in ${home}`;
}

function toTheMinute(at: string | undefined): string {
  return at === undefined ? '' : `${at.slice(0, 10)} ${at.slice(11, 16)}`;
}

function unreadable(each: UnreadableSession): Shown {
  return [styled('yellow', 'unreadable'), `: ${each.session}: ${each.reason}; see \`tidemark doctor\``];
}
