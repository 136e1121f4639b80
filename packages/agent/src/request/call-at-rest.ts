// The next call of a session that is read without a provider, tools and sources. Its settings are assumed to be those
// of the last request.

import type { State } from '@tidemark/context';
import { branchState, isRecorded, noteStanding } from '@tidemark/context';
import { defined } from '@tidemark/core';
import type { Event, Log, SessionId, Timestamp } from '@tidemark/log';
import type { Capabilities, Encoder } from '@tidemark/model';
import { artifactsInMemory } from '../session/artifacts-on-trial.ts';
import { loadFront } from '../session/materials.ts';
import type { Fold } from '../session/session.ts';
import { asIfRecorded } from '../session/session.ts';
import type { CallOptions } from './draft-call.ts';
import { whatChanges } from './what-changes.ts';

/** Values of the next call that are not in the state of a session. */
export interface RestSettings {
  readonly capabilities: Capabilities;
  /** Encoder of the last request. */
  readonly encoder: Encoder;
  readonly outputLimit: number;
  readonly at: Timestamp;
}

/**
 * Returns the options of the next call. The model, the tools and the parameters are those in force. Returns `undefined`
 * if the session has sent no request of its own.
 */
export async function callOptionsAtRest(
  { epoch, streams }: State,
  { artifacts }: Pick<Log, 'artifacts'>,
  { capabilities, encoder, outputLimit, at }: RestSettings,
): Promise<CallOptions | undefined> {
  if (epoch === undefined || isRecorded(epoch.opened)) return undefined;
  const { opened, inForce } = epoch;
  const { provider, model } = opened;
  const texts = await loadFront(artifacts, { ...opened, tools: inForce.queued ?? inForce.tools });
  const wanted = {
    provider,
    model,
    parameters: inForce.parameters,
    capabilities: opened.capabilities,
    texts,
    takeTools: 'next-epoch',
  } as const;
  const account = streams['main']?.accepted?.prepared.account;
  return { at, wanted, capabilities, encoder, outputLimit, ...defined({ account }) };
}

/** Session that is read without a runtime. */
export interface SessionAtRest extends Fold {
  readonly session: SessionId;
  readonly log: Pick<Log, 'artifacts' | 'shared' | 'read'>;
}

/**
 * Returns the state of the log just before the next request: with the compaction, the prunings and the tools that wait
 * for it, the pruning that the runtime would apply at this time, and the notes that it would record again. Nothing is
 * stored. The state is unchanged if nothing waits, or if the session has sent no request of its own.
 */
export async function stateOfNextCall(place: SessionAtRest, settings: RestSettings): Promise<State> {
  const { state, log } = place;
  const options = await callOptionsAtRest(state, log, settings);
  if (options === undefined || state.unknown !== undefined) return state;
  const branch = withRoleOfFront(branchState(state));
  const artifacts = artifactsInMemory(log.artifacts);
  const notes = await droppedNotes(place, settings.at);
  const stamp = { at: settings.at };
  const noted = notes.reduce(asIfRecorded, branch);
  const planned = { state: noted, log: { ...defined({ shared: log.shared }), artifacts } };
  const { pruned, epoch, changes } = await whatChanges(planned, { ...options, pruning: 'auto' }, stamp);
  if (epoch === undefined) return state;
  return [...(pruned === undefined ? [] : [pruned]), epoch, ...changes].reduce(asIfRecorded, noted);
}

/**
 * Returns the state with the role of the front in force. The text of a role that was appended later is only in the
 * history, so the next front is assumed to have the earlier role.
 */
export function withRoleOfFront(state: State): State {
  const { epoch } = state;
  if (epoch === undefined) return state;
  const role = epoch.opened.layers.find(({ name }) => name === 'role')?.digest;
  return { ...state, epoch: { ...epoch, inForce: { ...epoch.inForce, role } } };
}

/** Returns the notes that a waiting compaction drops. With the next prompt, their sources are noted again. */
async function droppedNotes(
  { state, progress, session, log }: SessionAtRest,
  at: Timestamp,
): Promise<readonly Event[]> {
  const { compacted, epoch } = state;
  if (compacted === undefined || compacted.position === epoch?.opened.checkpoint) return [];
  const dropped = [...progress.lastNotes.values()].filter(
    ({ position }) => noteStanding(state, position) === 'dropped',
  );
  const notes: Event[] = [];
  for (const { position } of dropped)
    for await (const record of log.read(session, position, position + 1))
      if (record.kind === 'context.noted') notes.push({ kind: record.kind, at, data: record.data });
  return notes;
}
