// What a request needs in front of it: an epoch that opens, or what is appended inside the one that is open. The bytes that
// its record names are kept here, before anything names them.

import type { Artifacts, Event, EventOf } from '@tidemark/log';
import type { State, Wanted } from '@tidemark/context';
import { neededChange, openEpoch } from '@tidemark/context';
import type { Capabilities, Encoder } from '@tidemark/model';
import { keepFront, keepTools, loadCapabilities } from '../session/materials.ts';
import { newHash } from '../session/node-hash.ts';
import type { Session } from '../session/session.ts';
import type { Line } from './line.ts';

/** See the head of this file. One of the two is always empty. */
export interface Changing {
  readonly epoch: EventOf<'epoch.opened'> | undefined;
  readonly changes: readonly (EventOf<'tools.changed'> | EventOf<'reasoning.changed'>)[];
}

/** What the request is to be made with. */
export interface Request {
  readonly wanted: Wanted;
  readonly capabilities: Capabilities;
  readonly encoder: Encoder;
  /** Set for a side call. */
  readonly beside?: unknown;
}

const NOTHING: Changing = { epoch: undefined, changes: [] };

/** Decides. `line` is that of the main stream, if there is one. */
export async function whatChanges(
  { state, log }: Session,
  line: Line | undefined,
  { wanted, capabilities, beside, encoder }: Request,
  stamp: Pick<Event, 'at' | 'turn'>,
): Promise<Changing> {
  // A side call takes what is in force.
  if (beside !== undefined && state.epoch !== undefined) return NOTHING;
  const row = await appendsOf(state, line, log.artifacts);
  const need = neededChange(
    state,
    wanted,
    row.filter((one) => encoder.appends?.includes(one) ?? true),
  );
  switch (need.do) {
    case 'nothing':
      return NOTHING;
    case 'append':
      await keepTools(log.artifacts, wanted.texts.tools);
      return { epoch: undefined, changes: need.changes.map((change) => ({ ...stamp, ...change })) };
    case 'epoch': {
      await keepFront(log.artifacts, wanted.texts);
      const data = openEpoch(state, wanted, need.cause, { rewrite: 0 }, newHash, capabilities.routing);
      return { epoch: { kind: 'epoch.opened', ...stamp, data }, changes: [] };
    }
  }
}

/** What the model takes appended, by the row that its epoch was opened with: its requests are made by that one. */
async function appendsOf(
  { epoch }: State,
  line: Line | undefined,
  artifacts: Artifacts,
): Promise<Capabilities['appends']> {
  if (epoch === undefined) return [];
  const kept = line?.materials.epoch.position === epoch.position ? line.materials.capabilities : undefined;
  return (kept ?? (await loadCapabilities(artifacts, epoch.opened))).appends;
}
