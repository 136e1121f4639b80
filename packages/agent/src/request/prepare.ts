// Prepares a request: opens the epoch that the request needs, plans the call and writes the body. Records all decisions
// that cannot be derived from the history. When `prepareRequest` returns, the request is in the log and flushed (L1,
// L2).

import { defined } from '@tidemark/core';
import type { Gauge, Outlook, Sequence, State } from '@tidemark/context';
import { epochForecast, firstDivergence, itemAt } from '@tidemark/context';
import type { ContentPart, EpochOpened, Event, PressureCrossed, Recorded, RecordedOf } from '@tidemark/log';
import type { Answer, AnswerPart, Answered, Capabilities, Continuation, Encoder } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import type { Session } from '../session/session.ts';
import { commitInside } from '../session/session.ts';
import type { Racing } from './call-plan.ts';
import type { CallDraft, CallOptions } from './draft-call.ts';
import { draftCall, foreseeCall, rebasePromptStream } from './draft-call.ts';
import type { PromptStream } from './prompt-stream.ts';
import type { WrittenRequest } from './request-record.ts';
import { writeRequest } from './request-record.ts';
import type { Changing } from './what-changes.ts';
import { whatChanges } from './what-changes.ts';

/** A request that is in the log, is flushed and may be sent. */
export interface Prepared {
  readonly body: Uint8Array;
  /**
   * The same request in its short form, which continues from the previous answer. Absent if the request has no short
   * form.
   */
  readonly continues?: Continuation;
  /** Reason why the request has no short form although a previous answer exists. */
  readonly reset?: ContinuationReset;
  readonly betas: readonly string[];
  /** Id of an earlier answer. The provider is asked to compare the request with this answer. */
  readonly compared?: string;
  readonly record: RecordedOf<'request.prepared'>;
  /** Epoch that this request opened. */
  readonly opened: RecordedOf<'epoch.opened'> | undefined;
  /** Epoch in which the request was made. Another epoch may be open when a side call is answered. */
  readonly epoch: EpochOpened;
  readonly outlook: Outlook;
  readonly racing: Racing | undefined;
  /** Gauge of the window with this request. Absent for a side call. */
  readonly gauge: Gauge | undefined;
  /** Tier that this request reached first since the last checkpoint. */
  readonly crossed: PressureCrossed | undefined;
  readonly capabilities: Capabilities;
  readonly sequence: Sequence;
}

/** Prompt stream of one session. It is kept in memory, so the work of a step depends only on the new text. */
export interface PromptStreams {
  main: PromptStream | undefined;
  /** Last answer of the main stream that this process received. The next request can continue from it. */
  heard?: Heard;
  /** Encoder without an optional field that the server refused. See `chooseEncoder`. */
  encoder?: Encoder;
  /**
   * Name of the front that this session last added to the shared index of cached fronts, and the time of that entry in
   * milliseconds. With them, the index is written less often.
   */
  told?: { readonly front: string; readonly at: number };
  /** Time at which this session last added its entries to the index of its family, in milliseconds. */
  toldFamily?: number;
}

/**
 * Prepares the next request of the main stream. If `options.beside` is set, prepares a side call. A side call leaves
 * the main stream unchanged and is allowed while a turn runs. While calls are open, a side call contains the history
 * before those calls.
 *
 * @throws AgentError `agent/unknown-kind` if a later version wrote the log; `agent/unclosed-history` if calls are open
 *   before a request of the main stream; `agent/nothing-to-send` if there is nothing to send; `agent/other-provider` if
 *   the open epoch of a side call has another provider; `agent/conflict` if the records in the log differ from those
 *   that this session knows.
 */
export function prepareRequest(
  session: Session,
  promptStreams: PromptStreams,
  options: CallOptions,
): Promise<Prepared> {
  return session.mutex.pass(() => prepareInside(session, promptStreams, options));
}

async function prepareInside(session: Session, promptStreams: PromptStreams, given: CallOptions): Promise<Prepared> {
  const options = await maskSideCall(session, given);
  if (options.beside === undefined) requireSendable(session.state);
  else requireSendableBeside(session.state, options.wanted.provider);
  const changing = await whatChanges(session, options, defined({ at: options.at, turn: options.turn }));
  const draft = await draftCall(session, promptStreams.main, changing, options);
  options.admit?.(foreseeCall(draft, changing));
  const going =
    options.continues === true && options.beside === undefined
      ? goOnFrom(promptStreams.heard, draft.promptStream)
      : undefined;
  const written = writeDraft(draft, options, changing, typeof going === 'object' ? going : undefined);
  const records = await commitInside(
    session,
    recordsOf(draft, written, changing, defined({ at: options.at, turn: options.turn })),
  );
  await session.writer.sync();
  promptStreams.main = rebasePromptStream(draft.main, session.state);
  return {
    ...preparedOf(records, draft, written),
    ...(typeof going === 'string' ? { reset: going } : {}),
    epoch: promptStreams.main.materials.epoch.opened,
  };
}

function writeDraft(
  { state, promptStream, call, found: cached, pressure }: CallDraft,
  options: CallOptions,
  { epoch }: Changing,
  answered: Answered | undefined,
): WrittenRequest {
  const { outputLimit, size } = pressure;
  return writeRequest(
    state,
    promptStream,
    call,
    { ...options, answered, outputLimit, size, cached },
    epoch !== undefined,
  );
}

function recordsOf(
  { price, pressure: { crossed } }: CallDraft,
  { data }: WrittenRequest,
  { pruned, epoch, changes }: Changing,
  stamp: RequestStamp,
): readonly Event[] {
  return [
    ...(pruned === undefined ? [] : [pruned]),
    ...(epoch === undefined ? [] : [{ ...epoch, data: { ...epoch.data, forecast: epochForecast(price) } }]),
    ...changes,
    ...(crossed === undefined ? [] : [{ kind: 'pressure.crossed', ...stamp, data: crossed } as const]),
    { kind: 'request.prepared', ...stamp, data },
  ];
}

function preparedOf(
  records: readonly Recorded[],
  { promptStream, call, capabilities, pressure: { gauge, crossed } }: CallDraft,
  { body, continues, compared }: WrittenRequest,
): Omit<Prepared, 'epoch' | 'reset'> {
  const record = records.find(isRequest);
  if (record === undefined)
    throw new AgentError(
      'agent/conflict',
      'the log did not return the request that was appended: read the session again',
    );
  return {
    body,
    ...defined({ continues, betas: record.data.betas ?? [], compared }),
    record,
    opened: records.find(isOpening),
    outlook: call.outlook,
    racing: call.racing,
    gauge,
    crossed,
    capabilities,
    sequence: promptStream.sequence,
  };
}

/**
 * Masks the words of a side call before the request is built. The model then receives exactly the words that are
 * recorded (L1, L2).
 */
async function maskSideCall(session: Session, options: CallOptions): Promise<CallOptions> {
  const { at, beside } = options;
  if (beside === undefined) return options;
  const prompt = { kind: 'prompt.given', at, data: { parts: beside.extra, presenter: beside.stream } } as const;
  const event = await session.secrets.maskEvent(prompt);
  const extra: readonly ContentPart[] = event.kind === 'prompt.given' ? event.data.parts : [];
  return { ...options, beside: { ...beside, extra } };
}

type RequestStamp = Pick<Event, 'at' | 'turn'>;

const isOpening = (event: { readonly kind: string }): event is RecordedOf<'epoch.opened'> =>
  event.kind === 'epoch.opened';
const isRequest = (event: { readonly kind: string }): event is RecordedOf<'request.prepared'> =>
  event.kind === 'request.prepared';

/**
 * Checks that a request of the main stream can be built from this state.
 *
 * @throws AgentError `agent/unknown-kind`, `agent/unclosed-history`, `agent/nothing-to-send`.
 */
export function requireSendable(state: State): void {
  requireKnown(state);
  if (state.history.batch !== undefined) {
    throw new AgentError(
      'agent/unclosed-history',
      'calls of the last answer are open: close each with a result or as abandoned before the next request',
    );
  }
  if (state.history.packed.length === 0) {
    throw new AgentError('agent/nothing-to-send', 'the history is empty: send a prompt first');
  }
}

/**
 * Checks that a side call can be sent. Open calls do not prevent this. A side call uses the open epoch, so its provider
 * must be the provider of that epoch.
 *
 * @throws AgentError `agent/unknown-kind`, `agent/other-provider`.
 */
function requireSendableBeside(state: State, provider: string): void {
  requireKnown(state);
  const { epoch } = state;
  if (epoch === undefined || epoch.opened.provider === provider) return;
  throw new AgentError(
    'agent/other-provider',
    `the history was still sent to ${epoch.opened.provider}, but this session now runs with ${provider}: make the side call after the next prompt was sent`,
    { epoch: epoch.opened.provider, provider },
  );
}

function requireKnown({ unknown }: State): void {
  if (unknown === undefined) return;
  throw new AgentError(
    'agent/unknown-kind',
    `record ${unknown.position} is a "${unknown.name}", which this version does not know: open the session with the version that wrote it`,
    unknown,
  );
}

// Decides if a request may continue from the previous answer. Such a request names the provider's id of that answer and
// contains only new content. Only answers that this process received can be used, because only this process has the
// connection that remembers them. The decision is recorded, so any process can rebuild the bytes (L2).

/**
 * Last finished answer of the main stream in the form in which it was received, with the sequence and the encoder of
 * its request.
 */
interface Heard {
  readonly sequence: Sequence;
  readonly encoder: string;
  readonly parts: readonly AnswerPart[];
  /** Id of the answer. Absent if the provider gave no id or if the answer was truncated. */
  readonly response: string | undefined;
}

/**
 * Reason why a request does not continue from the previous answer. `parameters`: a setting, the model or the encoder
 * differs. `not-extending`: the blocks of the previous request are not a prefix of this request. `answer-edited`: the
 * packed answer differs from the received answer. `unfinished`: the answer has no id or was cut off.
 */
type ContinuationReset = 'parameters' | 'not-extending' | 'answer-edited' | 'unfinished';

/**
 * Returns the record of a received answer. The next request can continue from it. `sequence` is the sequence of the
 * answered request.
 */
export function heardFrom(sequence: Sequence, encoder: string, answer: Answer): Heard {
  const { parts, truncated } = answer;
  return { sequence, encoder, parts, response: truncated === 'no' ? answer.response : undefined };
}

/**
 * Returns the place where the next request continues after the last answer, or the reason why it cannot. Returns
 * `undefined` before the first answer, or if the encoder does not support continuation.
 */
function goOnFrom(
  heard: Heard | undefined,
  { sequence, materials }: PromptStream,
): Answered | ContinuationReset | undefined {
  const { echoes, revision } = materials.encoder;
  if (heard === undefined || echoes === undefined) return undefined;
  if (heard.encoder !== revision) return 'parameters';
  const divergence = firstDivergence(heard.sequence, sequence);
  if (divergence !== undefined) return divergence.at === 'parameters' ? 'parameters' : 'not-extending';
  const { response } = heard;
  if (response === undefined) return 'unfinished';
  const from = heard.sequence.blocks.length + heard.parts.length;
  return isEchoed(heard, sequence, echoes) ? { response, from } : 'answer-edited';
}

/**
 * Returns true if the request repeats the answer without a change. Each part of the answer must be one block, in order.
 * The block after the answer must exist and must not be from the assistant.
 */
function isEchoed(heard: Heard, { blocks }: Sequence, echoes: NonNullable<Encoder['echoes']>): boolean {
  const begin = heard.sequence.blocks.length;
  const next = itemAt(blocks, begin + heard.parts.length);
  if (next === undefined || next.role === 'assistant') return false;
  return heard.parts.every((part, index) => {
    const block = itemAt(blocks, begin + index);
    return block?.role === 'assistant' && echoes(part, block);
  });
}
