// Chooses the session for a prompt: a named session, or the newest one of the folder.

import { loadCapabilities } from '@tidemark/agent';
import { defined } from '@tidemark/core';
import type {
  AnswerPart,
  EpochOpened,
  Log,
  ReasoningSet,
  SessionCreated,
  SessionId,
  SessionSummary,
  TurnBegan,
} from '@tidemark/log';

import { CliError } from '../frame/failure.ts';

/** Existing session that a run continues, with its folder and the choices of its last epoch and turn. */
export interface ChosenSession {
  readonly id: SessionId;
  readonly workspace: string;
  /**
   * Model of the session's last epoch. Another model cannot read the cache of this session. Before the first epoch of the
   * session itself, the model that was chosen for it.
   */
  readonly model: string | undefined;
  /** Provider of the model. */
  readonly provider: string | undefined;
  /**
   * Context window in tokens. The user gives it for a model that is not in the catalog. `undefined` for a model of the
   * catalog.
   */
  readonly window: number | undefined;
  /** Reasoning effort that was set for the session, if any. */
  readonly effort?: string;
  /** Compaction policy of the session's last turn, if the user chose one. */
  readonly compaction: TurnBegan['compaction'];
  /**
   * Parts of the session's last answer. If the turn was cut off, the parts include the open calls. A resumed turn
   * closes these calls.
   */
  readonly answered: readonly AnswerPart[];
}

/**
 * Reads a session by its id. Returns its folder and the choices of its last epoch and turn.
 *
 * @throws LogError `log/missing` when the session does not exist.
 */
export async function namedSession(log: Log, id: SessionId): Promise<ChosenSession> {
  let workspace = '';
  let opened: EpochOpened | undefined;
  let chosen: Pick<SessionCreated, 'model' | 'provider'> | undefined;
  let compaction: TurnBegan['compaction'];
  let effort: string | undefined;
  let answered: readonly AnswerPart[] = [];
  for await (const { kind, data } of log.read(id)) {
    if (kind === 'session.created') ({ workspace } = data);
    if (kind === 'session.created' && data.model !== undefined) chosen = data;
    if (kind === 'epoch.opened') [opened, chosen] = [data, undefined];
    if (kind === 'reasoning.set') effort = effortIn(data.parameters) ?? effort;
    if (kind === 'turn.started') ({ compaction } = data);
    if (kind === 'turn.resumed') compaction = data.compaction ?? compaction;
    if (kind === 'answer.received' && data.stream === 'main') answered = data.parts;
  }
  const { model, provider } = chosen ?? opened ?? {};
  const window = chosen === undefined ? await saidWindow(log, opened) : undefined;
  return { id, workspace, model, provider, window, compaction, answered, ...defined({ effort }) };
}

/** Returns the effort in recorded parameters, under the name of any provider. */
function effortIn(parameters: ReasoningSet['parameters']): string | undefined {
  const found = Object.entries(parameters).find(([name]) => name === 'effort' || name.endsWith('.effort'));
  return typeof found?.[1] === 'string' ? found[1] : undefined;
}

/**
 * Returns the window in tokens that the user gave for a model outside the catalog. For a model of the catalog, returns
 * `undefined`. The window is read from the epoch's capabilities. Only a model outside the catalog has `markers` set to
 * `unknown`.
 */
async function saidWindow(log: Log, opened: EpochOpened | undefined): Promise<number | undefined> {
  if (opened === undefined) return undefined;
  const { window, markers } = await loadCapabilities(log.artifacts, opened);
  return markers === 'unknown' ? window.tokens : undefined;
}

/**
 * Returns the session of this folder that changed last. Imported transcripts are skipped because Tidemark cannot
 * continue them. Sessions of subagents are skipped because they work for another session.
 *
 * @throws CliError `cli/not-found` when the folder has no such session.
 */
export async function newestSession(log: Log, folder: string): Promise<ChosenSession> {
  return namedSession(log, await newestSessionId(log, folder));
}

/** Returns the id of the session that `newestSession` reads. Throws as `newestSession`. */
export async function newestSessionId(log: Log, folder: string): Promise<SessionId> {
  const { sessions } = await log.sessions({ workspace: folder });
  const byChange = sessions.toSorted((a, b) => order(b).localeCompare(order(a)));
  for (const summary of byChange) {
    if (summary.startedBy === undefined && !(await isImported(log, summary))) return summary.session;
  }
  throw new CliError('cli/not-found', `there is no session in ${folder}`, '`tidemark "what to do"` starts one');
}

function order({ changedAt, createdAt }: { readonly changedAt?: string; readonly createdAt: string }): string {
  return changedAt ?? createdAt;
}

/**
 * Returns true if the session is an imported transcript. Checks the first record that the session does not inherit from
 * a parent, so a fork of an import does not count as imported. If the session has no such record, also returns true.
 */
async function isImported(log: Log, { session, parent }: SessionSummary): Promise<boolean> {
  const own = parent === undefined ? 0 : parent.position + 1;
  for await (const record of log.read(session, own, own + 1))
    return record.kind === 'session.created' && record.data.imported !== undefined;
  return true;
}
