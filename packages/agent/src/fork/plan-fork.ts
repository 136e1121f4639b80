// What a fork would be, decided before anything is written: where it leaves its parent, what it leaves behind there.

import { defined } from '@tidemark/core';
import type { Gathered, Met } from '@tidemark/context';
import { filesOf, gather } from '@tidemark/context';
import type {
  BranchSummarized,
  Event,
  HistoryCompacted,
  Log,
  Parent,
  Range,
  Recorded,
  SessionCreated,
  SessionId,
  Timestamp,
} from '@tidemark/log';
import { position } from '@tidemark/log';
import { AgentError } from '../errors.ts';
import { headOf } from '../output/shape-output.ts';
import { narrower } from '../permissions/judge.ts';
import type { ForkOptions } from '../ports/live-session.ts';
import type { Mode } from '../ports/permissions.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Session } from '../session/session.ts';
import { commit, createSession } from '../session/session.ts';
import type { Open } from './cut-points.ts';
import { closedUpTo, cutBeforePrompt, readCutPoints, requireClosed } from './cut-points.ts';

/** A fork that was decided and not begun: where it leaves its parent, and what it leaves behind there. */
export interface ForkPlan {
  /** The session that was asked for. */
  readonly of: SessionId;
  /** Whose log holds the record it goes on from: that session, or where this is a fork itself one of its ancestors. */
  readonly parent: Parent;
  readonly created: Pick<SessionCreated, 'root' | 'workspace' | 'title'>;
  /** The mode to begin with, where the session has been narrowed behind the cut. */
  readonly mode: Mode | undefined;
  /** The records that are left behind. */
  readonly left: Range | undefined;
  /** What is open at the end of the session; a turn alone is not, since the fork goes on with it. */
  readonly open: Exclude<Open, 'turn'> | undefined;
  readonly summary: BranchSummarized | undefined;
}

/**
 * Plans a fork. Reads the log, takes no lock and writes nothing.
 *
 * @throws AgentError `agent/not-closed`, `agent/no-such-record`. @throws LogError as the store does.
 */
export async function planFork(log: Log, session: SessionId, options: ForkOptions = {}): Promise<ForkPlan> {
  const points = await readCutPoints(log, session);
  const cut = await cutOf(log, session, points, options);
  const before = await lookAt(log, session, cut);
  const end = points.length - 1;
  const open = points[end];
  const left = cut < end ? { from: position(cut + 1), to: position(end) } : undefined;
  const { title = before.created.title } = options;
  const { root, workspace } = before.created;
  return {
    of: session,
    parent: before.parent,
    created: defined({ root, workspace, title }),
    mode: narrowerMode(before.mode, before.lastMode),
    left,
    open: open === 'turn' ? undefined : open,
    summary:
      left !== undefined && options.summarize === true
        ? await summarizeBranch(session, left, log.read(session, left.from))
        : undefined,
  };
}

async function cutOf(
  log: Log,
  session: SessionId,
  points: readonly (Open | undefined)[],
  { at, beforePrompt }: ForkOptions,
): Promise<number> {
  if (beforePrompt !== undefined) return cutBeforePrompt(log, session, points, beforePrompt);
  if (at !== undefined) return requireClosed(points, session, at);
  return closedUpTo(points, points.length - 1) ?? requireClosed(points, session, points.length - 1);
}

interface ForkBase {
  readonly parent: Parent;
  readonly created: SessionCreated;
  readonly mode: Mode | undefined;
  readonly lastMode: Mode | undefined;
}

/** The record at the cut, whose log holds it, and the mode there and at the end. */
async function lookAt(log: Log, session: SessionId, cut: number): Promise<ForkBase> {
  let created: SessionCreated | undefined;
  let parent: Parent | undefined;
  let mode: Mode | undefined;
  let lastMode: Mode | undefined;
  for await (const { kind, data, position: at, chain } of log.read(session)) {
    if (kind === 'session.created' && at <= cut) created = data;
    if (kind === 'mode.changed') lastMode = data.mode;
    if (at <= cut) mode = lastMode;
    if (at === cut && created !== undefined) parent = { session: created.id, position: at, chain };
  }
  if (parent !== undefined && created !== undefined) return { parent, created, mode, lastMode };
  throw new AgentError('agent/no-such-record', `session ${session} has no record ${cut}: read it again`, { cut });
}

/** Going back gives nobody rights that were taken away since. */
function narrowerMode(then: Mode | undefined, now: Mode | undefined): Mode | undefined {
  if (now === undefined || now === then) return undefined;
  return then === undefined || narrower(then, now) === now ? now : undefined;
}

/** What a fork begins with beside its plan. */
export interface ForkBeginning {
  readonly id: SessionId;
  readonly at: Timestamp;
  readonly secrets?: Secrets;
  /** A compaction of all that it begins with: in the same append, so that there is no such fork without it. */
  readonly compacted?: HistoryCompacted;
}

/**
 * Begins a fork: it refers to its parent's log up to the cut, and inherits the epoch in force there. The parent is not
 * touched. The session that comes back is open; whoever only wanted it to be there closes its writer.
 *
 * @throws LogError `log/exists`, `log/locked`, `log/parent-missing`, `log/parent-diverged`.
 */
export async function beginFork(log: Log, plan: ForkPlan, beginning: ForkBeginning): Promise<Session> {
  const session = await createSession(log, beginning.id, plan.parent, beginning.secrets);
  try {
    await commit(session, firstEvents(plan, beginning));
  } catch (error) {
    await session.writer.close();
    throw error;
  }
  return session;
}

function firstEvents(
  { created, parent, mode, summary }: ForkPlan,
  { id, at, compacted }: ForkBeginning,
): readonly Event[] {
  return [
    { kind: 'session.created', at, data: { id, parent, ...created } },
    ...(mode === undefined ? [] : [{ kind: 'mode.changed', at, data: { mode, by: 'settings' } } as const]),
    ...(summary === undefined ? [] : [{ kind: 'branch.summarized', at, data: summary } as const]),
    ...(compacted === undefined ? [] : [{ kind: 'history.compacted', at, data: compacted } as const]),
  ];
}

// The summary of a branch that is left behind: made from its records alone, in stable bytes, without a model. It is bounded, and
// names what the bound left out.

/** Bytes of each text that is quoted. */
const QUOTED = 400;
/** Prompts, files and tools that are named of each kind. */
const NAMED = 12;

/** How many entries were cut. */
interface SummaryCut {
  entries: number;
}

/** Sums up the records of a range of a session: by what a checkpoint of them would know. */
async function summarizeBranch(
  session: SessionId,
  range: Range,
  records: AsyncIterable<Recorded>,
): Promise<BranchSummarized> {
  const all: Recorded[] = [];
  for await (const record of records) all.push(record);
  const found = gather(all, range.from - 1, range.to);
  const files = new Map(filesOf(found.calls).flatMap((file) => (file.as === 'read' ? [] : [[file.path, file]])));
  const changed = [...files.values()];
  const cut: SummaryCut = { entries: 0 };
  const text = [
    'The user went back to before what is told here. It is no longer part of this conversation.',
    ...section(
      'Asked there',
      listNewest(cut, found.directives, ({ text: words }) => quoteLine(cut, words)),
    ),
    ...section('Work', [workLine(found)]),
    ...section(
      'Files changed',
      listNewest(
        cut,
        changed.filter(({ removed = false }) => !removed),
        pathOf,
      ),
    ),
    ...section(
      'Files removed',
      listNewest(
        cut,
        changed.filter(({ removed = false }) => removed),
        pathOf,
      ),
    ),
    ...section('Said last', found.said === '' ? [] : [quoteLine(cut, found.said)]),
  ].join('\n');
  return { session, range, strategy: 'deterministic', text, limitations: limitationsOf(session, range, cut) };
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `- ${line}`)];
}

/** The newest, in the order of the log. */
function listNewest<One>(cut: SummaryCut, all: readonly One[], show: (one: One) => string): readonly string[] {
  const shown = all.slice(-NAMED);
  cut.entries += all.length - shown.length;
  return shown.map(show);
}

function quoteLine(cut: SummaryCut, words: string): string {
  const line = words.trim().replaceAll(/\s+/g, ' ');
  const { text } = headOf(line, { bytes: QUOTED, lines: 1 });
  if (text.length === line.length) return line;
  cut.entries += 1;
  return `${text}…`;
}

function pathOf({ path }: Met): string {
  return path;
}

/** Calls that began, whatever became of them. */
function workLine({ answers, calls, unclosed }: Gathered): string {
  const begun = calls.filter(({ effect, ended }) => effect !== undefined || ended !== undefined);
  const byName = Map.groupBy([...begun.map(({ name }) => name), ...unclosed], (name) => name);
  const named = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, all]) => `${name} ${all.length}`);
  const told = named.length === 0 ? 'no tool was called' : `calls: ${named.slice(0, NAMED).join(', ')}`;
  const failed = begun.filter(({ closing }) => closing === 'failed').length;
  return `${answers} answers; ${told}${failed === 0 ? '' : `; ${failed} of them failed`}`;
}

function limitationsOf(session: SessionId, { from, to }: Range, { entries: cut }: SummaryCut): readonly string[] {
  return [
    `It is lossy. The whole stands in the log of session ${session}, records ${from} to ${to}.`,
    'Files stay as that branch left them, which may not be as this conversation knows them: read them again before you rely on them.',
    'What commands did is only told by their names.',
    ...(cut === 0 ? [] : [`For length, ${cut} entries are shortened or left out.`]),
  ];
}
