// From state to bytes: the epoch that the next request needs, its plan and its body, and the record of all that history
// does not hold. When this returns, the request is in the log and flushed (L1, L2).

import type { ContentPart, EpochOpened, EventOf, PressureCrossed, RecordedOf, Timestamp, TurnId } from '@tidemark/log';
import { position } from '@tidemark/log';
import type {
  BudgetSettings,
  EpochPrice,
  ForeseenRewrite,
  Gauge,
  Outlook,
  Sequence,
  State,
  Wanted,
} from '@tidemark/context';
import { epochForecast, foreseeRewrite } from '@tidemark/context';
import type { Capabilities, Continuation, Encoder, JsonValue } from '@tidemark/model';
import type { Lasting } from './call-life.ts';
import type { CallPlan, PlanOptions } from './call-plan.ts';
import { planCall } from './call-plan.ts';
import type { Heard, Reset } from './continuation.ts';
import { goOnFrom } from './continuation.ts';
import { AgentError } from '../errors.ts';
import { drafted } from './drafted.ts';
import type { Line, Resize } from './line.ts';
import { beginLine, besideLine, continues, extendLine } from './line.ts';
import { loadCapabilities, loadFront } from '../session/materials.ts';
import { pressureOf } from './pressure.ts';
import type { Beside } from './request-record.ts';
import { writeRequest } from './request-record.ts';
import type { Session } from '../session/session.ts';
import { commitInside } from '../session/session.ts';
import { whatChanges } from './what-changes.ts';

/** What the next call is made with. */
export interface CallOptions {
  readonly at: Timestamp;
  readonly wanted: Wanted;
  readonly capabilities: Capabilities;
  readonly encoder: Encoder;
  readonly outputLimit: number;
  readonly purpose?: string;
  readonly attempt?: number;
  /** What is set of the window's budgets; the usual ones unless said. */
  readonly budgets?: BudgetSettings;
  /** How long what is written shall live; `auto` unless said. */
  readonly ttl?: Lasting;
  readonly envelope?: { readonly [name: string]: JsonValue };
  readonly betas?: readonly string[];
  /** Set for a side call, which is made in the epoch in force, whatever is wanted now. */
  readonly beside?: Beside;
  /** Whether the provider can go on from an earlier answer by its id. */
  readonly continues?: boolean;
  /** Sizes that a recording knows. */
  readonly resize?: Resize;
  /** The turn that asks: its records carry it. */
  readonly turn?: TurnId;
  /** Whether old results may be shortened where that pays; `never` unless said. */
  readonly pruning?: 'auto' | 'never';
  /** Asked before anything is committed: what it throws leaves the log as it was. */
  readonly admit?: (foreseen: Foreseen) => void;
}

/** What is known of a call before anything of it is committed. */
export interface Foreseen {
  readonly step: number;
  /** How full the request is; absent for a side call. */
  readonly gauge: Gauge | undefined;
  readonly outlook: Outlook;
  /** What it pays again of what was sent before; absent when it reads all of that. */
  readonly rewrite: ForeseenRewrite | undefined;
}

/** A request that is in the log, flushed, and may go out. */
export interface Prepared {
  readonly body: Uint8Array;
  /** The same request as one that goes on from the answer before. */
  readonly continues?: Continuation;
  /** Why there is no such one, although there was an answer before. */
  readonly reset?: Reset;
  readonly betas: readonly string[];
  /** The answer that the provider was asked to compare it with. */
  readonly compared?: string;
  readonly record: RecordedOf<'request.prepared'>;
  /** The epoch that this request opened. */
  readonly opened: RecordedOf<'epoch.opened'> | undefined;
  /** The epoch that it was made in. A side call may be answered when another one is open. */
  readonly epoch: EpochOpened;
  readonly outlook: Outlook;
  /** How full it is; absent for a side call. */
  readonly gauge: Gauge | undefined;
  /** The tier that it reached first behind its checkpoint. */
  readonly crossed: PressureCrossed | undefined;
  readonly capabilities: Capabilities;
  readonly sequence: Sequence;
}

/** Keeps one line per session, so that a step costs what is new. */
export interface Lines {
  main: Line | undefined;
  /** The last answer of the main stream that this process saw. */
  heard?: Heard;
}

/**
 * Prepares the next request of the main stream; with `beside`, a side call. A side call leaves the main stream as it is,
 * and is allowed while a turn runs: with calls open it holds the history up to them.
 *
 * @throws AgentError `agent/unknown-kind`, `agent/unclosed-history`, `agent/nothing-to-send`, `agent/other-provider`,
 *   `agent/conflict`.
 */
export function prepareRequest(session: Session, lines: Lines, options: CallOptions): Promise<Prepared> {
  return session.turnstile.pass(() => prepareInside(session, lines, options));
}

async function prepareInside(session: Session, lines: Lines, given: CallOptions): Promise<Prepared> {
  const options = await masked(session, given);
  requireSendable(session.state, options);
  const { pruned, epoch, changes } = await whatChanges(session, options, stampOf(options));
  const shortens = pruned === undefined ? [] : [pruned];
  const state = [...shortens, ...(epoch === undefined ? [] : [epoch]), ...changes].reduce(drafted, session.state);
  const main = await mainLine(session, lines.main, state, options);
  const line = await callLine(session, main, state, options);
  const capabilities = options.beside === undefined ? options.capabilities : line.materials.capabilities;
  const call = planCall(state, line, planOptions(options, capabilities, main));
  const price = priceOf(session.state, call, options);
  const pressure = pressureOf(state, { ...options, capabilities, call });
  options.admit?.({ ...foreseen(state, price, epoch !== undefined), gauge: pressure.gauge });
  const going = options.continues === true && options.beside === undefined ? goOnFrom(lines.heard, line) : undefined;
  const answered = typeof going === 'object' ? going : undefined;
  const fitted = { ...options, answered, outputLimit: pressure.outputLimit, size: pressure.size };
  const written = writeRequest(state, line, call, fitted, epoch !== undefined);
  const records = await commitInside(session, [
    ...shortens,
    ...(epoch === undefined ? [] : [{ ...epoch, data: { ...epoch.data, forecast: epochForecast(price) } }]),
    ...changes,
    ...(pressure.crossed === undefined
      ? []
      : [{ kind: 'pressure.crossed', ...stampOf(options), data: pressure.crossed } as const]),
    { kind: 'request.prepared', ...stampOf(options), data: written.data },
  ]);
  await session.writer.sync();
  lines.main = rebased(main, session.state);
  const record = records.find(isRequest);
  if (record === undefined)
    throw new AgentError('agent/conflict', 'the log did not return the request that was appended: read it again');
  return {
    body: written.body,
    ...(written.continues === undefined ? {} : { continues: written.continues }),
    ...(typeof going === 'string' ? { reset: going } : {}),
    betas: record.data.betas ?? [],
    ...(written.compared === undefined ? {} : { compared: written.compared }),
    record,
    opened: records.find(isOpening),
    epoch: lines.main.materials.epoch.opened,
    outlook: call.outlook,
    gauge: pressure.gauge,
    crossed: pressure.crossed,
    capabilities,
    sequence: line.sequence,
  };
}

/** The words of a side call reach the model as they are written down: masked before they are made a request (L1, L2). */
async function masked(session: Session, options: CallOptions): Promise<CallOptions> {
  const { at, beside } = options;
  if (beside === undefined) return options;
  const said = { kind: 'prompt.given', at, data: { parts: beside.extra, presenter: beside.stream } } as const;
  const event = await session.secrets.maskEvent(said);
  const extra: readonly ContentPart[] = event.kind === 'prompt.given' ? event.data.parts : [];
  return { ...options, beside: { ...beside, extra } };
}

function planOptions({ at, ttl, resize, beside }: CallOptions, capabilities: Capabilities, main: Line): PlanOptions {
  return {
    at,
    capabilities,
    ...(ttl === undefined ? {} : { ttl }),
    ...(resize === undefined ? {} : { resize }),
    ...(beside === undefined ? {} : { beside: true }),
    ...(beside?.history === 'none' ? { history: 'none' } : {}),
    ...(beside?.history === 'main' ? { historyEnd: main.sequence.blocks.length - 1 } : {}),
    ...(beside?.keeps === undefined ? {} : { keeps: beside.keeps }),
  };
}

function stampOf({ at, turn }: CallOptions): Pick<EventOf<'request.prepared'>, 'at' | 'turn'> {
  return turn === undefined ? { at } : { at, turn };
}

/** What the price of opening an epoch, or of going on in one, is made from. */
function priceOf(before: State, { outlook, markers }: CallPlan, { capabilities, at }: CallOptions): EpochPrice {
  return { state: before, outlook, capabilities, at, ttl: markers.at(-1)?.ttl ?? capabilities.ttls[0] };
}

function foreseen({ steps, epoch }: State, price: EpochPrice, opens: boolean): Omit<Foreseen, 'gauge'> {
  const { cause } = epoch?.opened ?? { cause: 'initial' };
  return { step: steps, outlook: price.outlook, rewrite: foreseeRewrite(price, { opens, cause }) };
}

const isOpening = (event: { readonly kind: string }): event is RecordedOf<'epoch.opened'> =>
  event.kind === 'epoch.opened';
const isRequest = (event: { readonly kind: string }): event is RecordedOf<'request.prepared'> =>
  event.kind === 'request.prepared';

function requireSendable(state: State, { beside, wanted }: CallOptions): void {
  if (state.unknown !== undefined) {
    const { name, position: place } = state.unknown;
    throw new AgentError(
      'agent/unknown-kind',
      `record ${place} is a "${name}", which this version does not know: run it with the version that wrote it`,
      state.unknown,
    );
  }
  if (beside !== undefined) return requireProvider(state, wanted.provider);
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

function requireProvider({ epoch }: State, provider: string): void {
  if (epoch === undefined || epoch.opened.provider === provider) return;
  throw new AgentError(
    'agent/other-provider',
    `the conversation is with ${epoch.opened.provider} still, and this session is now run with ${provider}: a side call can be made once the next prompt was sent`,
    { epoch: epoch.opened.provider, provider },
  );
}

/** The line of the main stream, with all that was packed since; as it is where a call needs nothing of that. */
async function mainLine(session: Session, kept: Line | undefined, state: State, options: CallOptions): Promise<Line> {
  const held = kept !== undefined && continues(kept, state) ? kept : await newLine(session, state, options.encoder);
  return options.beside?.history === 'none' ? held : extendLine(held, state, session.log.artifacts, options.resize);
}

/** The line of the call itself. */
async function callLine({ log }: Session, main: Line, state: State, { beside }: CallOptions): Promise<Line> {
  if (beside === undefined) return main;
  const before = beside.history === 'none' ? beginLine(main.materials, state) : main;
  return besideLine(before, state, { parts: beside.extra, position: position(state.length) }, log.artifacts);
}

/** The catalog row is the epoch's own, as it is when the request is made again: another one may lower otherwise (L2). */
async function newLine({ log }: Session, state: State, encoder: Encoder): Promise<Line> {
  const { epoch } = state;
  if (epoch === undefined) throw new AgentError('agent/no-epoch', 'no epoch is open: prepare opens one first');
  const texts = await loadFront(log.artifacts, epoch.opened);
  const capabilities = await loadCapabilities(log.artifacts, epoch.opened);
  return beginLine({ epoch, texts, capabilities, encoder }, state);
}

/** After the append the epoch has its real record: the line goes on under it. */
function rebased(line: Line, state: State): Line {
  if (state.epoch === undefined) return line;
  return { ...line, packed: state.history.packed.buffer, materials: { ...line.materials, epoch: state.epoch } };
}
