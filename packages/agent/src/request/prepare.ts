// From state to bytes: the epoch that the next request needs, its plan and its body, and the record of all that history
// does not hold. When this returns, the request is in the log and flushed (L1, L2).

import type { EventOf, RecordedOf, Timestamp } from '@tidemark/log';
import { CHAIN_START, position } from '@tidemark/log';
import type { Outlook, Sequence, State, Wanted } from '@tidemark/context';
import { epochForecast, evolve, neededEpoch, openEpoch } from '@tidemark/context';
import type { Capabilities, Encoder, JsonValue } from '@tidemark/model';
import { planCall } from './call-plan.ts';
import { AgentError } from '../errors.ts';
import type { Line, Resize } from './line.ts';
import { beginLine, continues, extendLine } from './line.ts';
import { keepFront, loadFront } from '../session/materials.ts';
import { newHash } from '../session/node-hash.ts';
import { writeRequest } from './request-record.ts';
import type { Session } from '../session/session.ts';
import { commitInside } from '../session/session.ts';

/** What the next call is made with. */
export interface CallOptions {
  readonly at: Timestamp;
  readonly wanted: Wanted;
  readonly capabilities: Capabilities;
  readonly encoder: Encoder;
  readonly outputLimit: number;
  readonly purpose?: string;
  readonly attempt?: number;
  readonly ttl?: '5m' | '1h';
  readonly envelope?: { readonly [name: string]: JsonValue };
  readonly betas?: readonly string[];
  /** Sizes that a recording knows. */
  readonly resize?: Resize;
}

/** A request that is in the log, flushed, and may go out. */
export interface Prepared {
  readonly body: Uint8Array;
  readonly betas: readonly string[];
  readonly record: RecordedOf<'request.prepared'>;
  /** The epoch that this request opened. */
  readonly opened: RecordedOf<'epoch.opened'> | undefined;
  readonly outlook: Outlook;
  readonly capabilities: Capabilities;
  readonly sequence: Sequence;
}

/** Keeps one line per session, so that a step costs what is new. */
export interface Lines {
  main: Line | undefined;
}

/**
 * Prepares the next request of the main stream.
 *
 * @throws AgentError `agent/unknown-kind`, `agent/unclosed-history`, `agent/nothing-to-send`, `agent/conflict`.
 */
export function prepareRequest(session: Session, lines: Lines, options: CallOptions): Promise<Prepared> {
  return session.turnstile.pass(() => prepareInside(session, lines, options));
}

async function prepareInside(session: Session, lines: Lines, options: CallOptions): Promise<Prepared> {
  requireSendable(session.state);
  const epoch = await openIfNeeded(session, options);
  const state = epoch === undefined ? session.state : drafted(session.state, epoch);
  const line = await currentLine(session, lines.main, state, options);
  const call = planCall(state, line, options);
  const { data, body } = writeRequest(state, line, call, options, epoch !== undefined);
  const request: EventOf<'request.prepared'> = { kind: 'request.prepared', at: options.at, data };
  const records = await commitInside(
    session,
    epoch === undefined ? [request] : [priced(epoch, session.state, call.outlook, options), request],
  );
  await session.writer.sync();
  lines.main = rebased(line, session.state);
  const record = records.find(isRequest);
  if (record === undefined)
    throw new AgentError('agent/conflict', 'the log did not return the request that was appended: read it again');
  const { capabilities, betas = [] } = options;
  return {
    body,
    betas,
    record,
    opened: records.find(isOpening),
    outlook: call.outlook,
    capabilities,
    sequence: line.sequence,
  };
}

function priced(
  epoch: EventOf<'epoch.opened'>,
  before: State,
  outlook: Outlook,
  options: CallOptions,
): EventOf<'epoch.opened'> {
  const { capabilities, at, ttl = '5m' } = options;
  return {
    ...epoch,
    data: { ...epoch.data, forecast: epochForecast({ state: before, outlook, capabilities, at, ttl }) },
  };
}

const isOpening = (event: { readonly kind: string }): event is RecordedOf<'epoch.opened'> =>
  event.kind === 'epoch.opened';
const isRequest = (event: { readonly kind: string }): event is RecordedOf<'request.prepared'> =>
  event.kind === 'request.prepared';

function requireSendable(state: State): void {
  if (state.unknown !== undefined) {
    const { name, position: place } = state.unknown;
    throw new AgentError(
      'agent/unknown-kind',
      `record ${place} is a "${name}", which this version does not know: run it with the version that wrote it`,
      state.unknown,
    );
  }
  if (state.history.batch !== undefined) {
    throw new AgentError(
      'agent/unclosed-history',
      'calls of the last answer are open: close each with a result or as abandoned before the next request',
    );
  }
  if (state.history.packed.length === 0) {
    throw new AgentError('agent/nothing-to-send', 'the history holds nothing to send: give a prompt first');
  }
}

async function openIfNeeded(session: Session, options: CallOptions): Promise<EventOf<'epoch.opened'> | undefined> {
  const cause = neededEpoch(session.state, options.wanted);
  if (cause === undefined) return undefined;
  await keepFront(session.log.artifacts, options.wanted.texts);
  const data = openEpoch(session.state, options.wanted, cause, { rewrite: 0 }, newHash);
  return { kind: 'epoch.opened', at: options.at, data };
}

/** The state as it will be with the epoch open: what the request is made from before both are appended together. */
function drafted(state: State, epoch: EventOf<'epoch.opened'>): State {
  return evolve(state, { ...epoch, v: 1, position: position(state.length), fence: 0, chain: CHAIN_START });
}

async function currentLine(
  session: Session,
  kept: Line | undefined,
  state: State,
  options: CallOptions,
): Promise<Line> {
  const held = kept !== undefined && continues(kept, state) ? kept : await newLine(session, state, options);
  return extendLine(held, state, session.log.artifacts, options.resize);
}

async function newLine(session: Session, state: State, { encoder, capabilities }: CallOptions): Promise<Line> {
  const { epoch } = state;
  if (epoch === undefined) throw new AgentError('agent/no-epoch', 'no epoch is open: prepare opens one first');
  return beginLine(
    { epoch, texts: await loadFront(session.log.artifacts, epoch.opened), capabilities, encoder },
    state,
  );
}

/** After the append the epoch has its real record: the line goes on under it. */
function rebased(line: Line, state: State): Line {
  if (state.epoch === undefined) return line;
  return { ...line, packed: state.history.packed.buffer, materials: { ...line.materials, epoch: state.epoch } };
}
