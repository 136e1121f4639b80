// What a fork would be, decided before anything is written: where it leaves its parent, what it leaves behind there.

import type { BranchSummarized, Log, Parent, Range, SessionCreated, SessionId } from '@tidemark/log';
import { position } from '@tidemark/log';
import { AgentError } from '../errors.ts';
import type { Mode } from '../tools/permissions.ts';
import { narrower } from '../tools/permissions.ts';
import type { Open } from './cut-points.ts';
import { closedUpTo, readCutPoints, requireClosed } from './cut-points.ts';
import { cutBeforePrompt } from './find-prompt.ts';
import { summarizeBranch } from './summarize-branch.ts';

/** Where a fork leaves its session, and what it takes along. */
export interface ForkOptions {
  /**
   * The last record that it keeps: no turn may be open after it. By default the last record with nothing open but its turn, with
   * which the fork goes on.
   */
  readonly at?: number;
  /** Instead of `at`, before a prompt: 1 is the first, -1 the last one. */
  readonly beforePrompt?: number;
  /** Tells the model in short what was done behind that record. */
  readonly summarize?: boolean;
  /** What the fork is called in lists: as its parent unless said. */
  readonly title?: string;
}

/** See the head of this file. */
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
    created: { root, workspace, ...(title === undefined ? {} : { title }) },
    mode: narrowed(before.mode, before.lastMode),
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
function narrowed(then: Mode | undefined, now: Mode | undefined): Mode | undefined {
  if (now === undefined || now === then) return undefined;
  return then === undefined || narrower(then, now) === now ? now : undefined;
}
