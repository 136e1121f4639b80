// Which session a prompt goes into: a named one, or the newest of the folder.

import { loadCapabilities } from '@tidemark/agent';
import type {
  AnswerPart,
  EpochOpened,
  Log,
  SessionId,
  SessionSummary,
  ToolRecord,
  ToolsChanged,
  TurnBegan,
} from '@tidemark/log';

import { CliError } from '../frame/failure.ts';

/** A session that is there, and the folder it works in. */
export interface ChosenSession {
  readonly id: SessionId;
  readonly workspace: string;
  /** The model it was last run with; another one could not read its cache. */
  readonly model: string | undefined;
  /** Whom that model was asked of. */
  readonly provider: string | undefined;
  /** What was said of that model where no catalog knows it, in tokens. */
  readonly window: number | undefined;
  /** The compaction policy that its last turn was begun with, where one was chosen. */
  readonly compaction: TurnBegan['compaction'];
  /** Whether its model has the tool `plan`; `undefined` before its first request. */
  readonly plan: boolean | undefined;
  /** What its last answer holds: calls that were cut are closed by who goes on. */
  readonly answered: readonly AnswerPart[];
}

/** @throws LogError `log/missing`. */
export async function namedSession(log: Log, id: SessionId): Promise<ChosenSession> {
  let workspace = '';
  let opened: EpochOpened | undefined;
  let compaction: TurnBegan['compaction'];
  let plan: boolean | undefined;
  let answered: readonly AnswerPart[] = [];
  for await (const { kind, data } of log.read(id)) {
    if (kind === 'session.created') ({ workspace } = data);
    if (kind === 'epoch.opened') {
      opened = data;
      plan = data.tools.some(isPlan);
    }
    if (kind === 'tools.changed' && data.as === 'appended') plan = hasPlan(plan, data);
    if (kind === 'turn.started') ({ compaction } = data);
    if (kind === 'turn.resumed') compaction = data.compaction ?? compaction;
    if (kind === 'answer.received' && data.stream === 'main') answered = data.parts;
  }
  const { model, provider } = opened ?? {};
  return { id, workspace, model, provider, window: await saidWindow(log, opened), compaction, plan, answered };
}

/** A queued change is not in force yet: the next epoch takes what is wanted then. */
function hasPlan(before: boolean | undefined, { added, removed }: ToolsChanged): boolean | undefined {
  if (added.some(isPlan)) return true;
  return removed.includes(PLAN) ? false : before;
}

const PLAN = 'plan';

function isPlan({ name }: ToolRecord): boolean {
  return name === PLAN;
}

/** What was said of a model is in the row that its epoch was opened with: of the caching of no other is nothing known. */
async function saidWindow(log: Log, opened: EpochOpened | undefined): Promise<number | undefined> {
  if (opened === undefined) return undefined;
  const { window, markers } = await loadCapabilities(log.artifacts, opened);
  return markers === 'unknown' ? window.tokens : undefined;
}

/**
 * The session of this folder that changed last; imported transcripts are none of ours to go on with, and a subagent works
 * for another one.
 *
 * @throws CliError `cli/not-found` when there is none.
 */
export async function newestSession(log: Log, folder: string): Promise<ChosenSession> {
  const { sessions } = await log.sessions({ workspace: folder });
  const byChange = sessions.toSorted((a, b) => order(b).localeCompare(order(a)));
  for (const summary of byChange) {
    if (summary.startedBy === undefined && !(await isImported(log, summary))) return namedSession(log, summary.session);
  }
  throw new CliError('cli/not-found', `there is no session of ${folder}`, '`tidemark "what to do"` begins one');
}

function order({ changedAt, createdAt }: { readonly changedAt?: string; readonly createdAt: string }): string {
  return changedAt ?? createdAt;
}

/** By its own first record: a fork of an import is none. */
async function isImported(log: Log, { session, parent }: SessionSummary): Promise<boolean> {
  const own = parent === undefined ? 0 : parent.position + 1;
  for await (const record of log.read(session, own, own + 1))
    return record.kind === 'session.created' && record.data.imported !== undefined;
  return true;
}
