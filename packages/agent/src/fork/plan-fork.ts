// Plans a fork before anything is written. The plan contains the record after which the fork begins, and the records of
// the parent that the fork omits.

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
import type { Capabilities } from '@tidemark/model';
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

/**
 * Plan of a fork that does not exist yet. The plan contains the record after which the fork begins, and the records
 * that it omits.
 */
export interface ForkPlan {
  /** Session that the caller wants to fork. */
  readonly of: SessionId;
  /**
   * Log and record from which the fork continues. If the session itself is a fork, the log may belong to an ancestor.
   */
  readonly parent: Parent;
  readonly created: Pick<SessionCreated, 'root' | 'workspace' | 'title'>;
  /**
   * Mode in which the fork begins. Present only if the mode of the session became narrower after the record where the
   * fork begins.
   */
  readonly mode: Mode | undefined;
  /** Range of the records that the fork omits. */
  readonly left: Range | undefined;
  /**
   * Kind of work that is open at the end of the session, such as a pending request. An open turn is not included,
   * because the fork continues it.
   */
  readonly open: Exclude<Open, 'turn'> | undefined;
  readonly summary: BranchSummarized | undefined;
}

/**
 * Plans a fork. Reads the log, takes no lock and writes nothing.
 *
 * @throws AgentError `agent/bad-argument`, `agent/not-closed`, `agent/no-such-record`.
 * @throws LogError as the store does.
 */
export async function planFork(log: Log, session: SessionId, options: ForkOptions = {}): Promise<ForkPlan> {
  if (options.at !== undefined && options.beforePrompt !== undefined)
    throw new AgentError(
      'agent/bad-argument',
      'fork: `at` and `beforePrompt` both choose the record: pass one of them',
    );
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

/**
 * Returns the base of a fork: the record at the cut as its parent, and the `session.created` data that applies there.
 * Also returns the permission modes at the cut and at the end of the session.
 */
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
  throw new AgentError('agent/no-such-record', `session ${session} has no record ${cut}: read the session again`, {
    cut,
  });
}

/**
 * Returns `now`, the mode at the end of the session, if it is narrower than the mode at the cut. Otherwise returns
 * `undefined`. A fork from an earlier record must not restore rights that were revoked later.
 */
function narrowerMode(then: Mode | undefined, now: Mode | undefined): Mode | undefined {
  if (now === undefined || now === then) return undefined;
  return then === undefined || narrower(then, now) === now ? now : undefined;
}

/** Values that a fork needs in addition to its plan. */
export interface ForkBeginning {
  readonly id: SessionId;
  readonly at: Timestamp;
  readonly secrets?: Secrets;
  /**
   * Compaction of the whole inherited history. It is written in the same append as the beginning of the fork, so the
   * fork never exists without this compaction.
   */
  readonly compacted?: HistoryCompacted;
  /** Model of the next request, if it is not the model of the inherited epoch. */
  readonly model?: RecordedModel;
}

/** Model that the first record of a session names. */
export type RecordedModel = Pick<Capabilities, 'model' | 'provider'>;

/**
 * Creates a fork. It refers to its parent's log up to the planned record, and inherits the epoch of this record. The
 * parent is not changed. The returned session is open, so a caller that does not use it must close its writer.
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
  { id, at, compacted, model }: ForkBeginning,
): readonly Event[] {
  return [
    { kind: 'session.created', at, data: { id, parent, ...created, ...recordedModel(model) } },
    ...(mode === undefined ? [] : [{ kind: 'mode.changed', at, data: { mode, by: 'settings' } } as const]),
    ...(summary === undefined ? [] : [{ kind: 'branch.summarized', at, data: summary } as const]),
    ...(compacted === undefined ? [] : [{ kind: 'history.compacted', at, data: compacted } as const]),
  ];
}

/** Returns the fields of the first record that name the model. */
export function recordedModel(chosen: RecordedModel | undefined): Pick<SessionCreated, 'model' | 'provider'> {
  return chosen === undefined ? {} : { model: chosen.model, provider: chosen.provider };
}

// Summary of an abandoned branch. It is built from the branch's records alone, without a model, so the same records
// always give the same bytes. Its length is limited. It contains the number of entries that were shortened or omitted.

/** Maximum bytes of each quoted text. */
const QUOTED = 400;
/** Maximum number of prompts, of files and of tools that are listed. */
const NAMED = 12;

interface SummaryCut {
  entries: number;
}

/** Summarizes a range of records with the same facts as a checkpoint. */
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
    'The user went back to a point before the work listed here. That work is no longer part of this conversation.',
    ...section(
      'Prompts',
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
    ...section('Last answer', found.said === '' ? [] : [quoteLine(cut, found.said)]),
  ].join('\n');
  return { session, range, strategy: 'deterministic', text, limitations: limitationsOf(session, range, cut) };
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `- ${line}`)];
}

/**
 * Returns the lines of the newest entries, at most `NAMED`, in the order of the log. Adds the number of omitted entries
 * to `cut`.
 */
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

/**
 * Returns one line with the number of answers. For each tool, the line also contains the number of calls that began,
 * with any outcome.
 */
function workLine({ answers, calls, unclosed }: Gathered): string {
  const begun = calls.filter(({ effect, ended }) => effect !== undefined || ended !== undefined);
  const byName = Map.groupBy([...begun.map(({ name }) => name), ...unclosed], (name) => name);
  const named = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, all]) => `${name} ${all.length}`);
  const callText = named.length === 0 ? 'no tool was called' : `calls: ${named.slice(0, NAMED).join(', ')}`;
  const failed = begun.filter(({ closing }) => closing === 'failed').length;
  return `${answers} answers; ${callText}${failed === 0 ? '' : `; ${failed} of them failed`}`;
}

function limitationsOf(session: SessionId, { from, to }: Range, { entries: cut }: SummaryCut): readonly string[] {
  return [
    `This summary is lossy. All of it is in the log of session ${session}, records ${from} to ${to}.`,
    'Files are as that branch left them and may differ from what this conversation shows: read them again before you rely on them.',
    'Commands are only listed by the name of their tool; their effects are not described.',
    ...(cut === 0 ? [] : [`To limit the length, ${cut} entries are shortened or omitted.`]),
  ];
}
