// From state to bytes: the epoch that the next request needs, its plan and its body, and the record of all that history
// does not hold. When this returns, the request is in the log and flushed (L1, L2).

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

/** A request that is in the log, flushed, and may go out. */
export interface Prepared {
  readonly body: Uint8Array;
  /** The same request as one that goes on from the answer before. */
  readonly continues?: Continuation;
  /** Why there is no such one, although there was an answer before. */
  readonly reset?: ContinuationReset;
  readonly betas: readonly string[];
  /** The answer that the provider was asked to compare it with. */
  readonly compared?: string;
  readonly record: RecordedOf<'request.prepared'>;
  /** The epoch that this request opened. */
  readonly opened: RecordedOf<'epoch.opened'> | undefined;
  /** The epoch that it was made in. A side call may be answered when another one is open. */
  readonly epoch: EpochOpened;
  readonly outlook: Outlook;
  readonly racing: Racing | undefined;
  /** How full it is; absent for a side call. */
  readonly gauge: Gauge | undefined;
  /** The tier that it reached first behind its checkpoint. */
  readonly crossed: PressureCrossed | undefined;
  readonly capabilities: Capabilities;
  readonly sequence: Sequence;
}

/** Keeps one prompt stream per session, so that a step costs what is new. */
export interface PromptStreams {
  main: PromptStream | undefined;
  /** The last answer of the main stream that this process saw. */
  heard?: Heard;
  /** The front that other sessions were told of last, and when, in milliseconds. */
  told?: { readonly front: string; readonly at: number };
}

/**
 * Prepares the next request of the main stream; with `beside`, a side call. A side call leaves the main stream as it is,
 * and is allowed while a turn runs: with calls open it holds the history up to them.
 *
 * @throws AgentError `agent/unknown-kind`, `agent/unclosed-history`, `agent/nothing-to-send`, `agent/other-provider`,
 *   `agent/conflict`.
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
  { state, promptStream, call, pressure }: CallDraft,
  options: CallOptions,
  { epoch }: Changing,
  answered: Answered | undefined,
): WrittenRequest {
  const { outputLimit, size } = pressure;
  return writeRequest(state, promptStream, call, { ...options, answered, outputLimit, size }, epoch !== undefined);
}

/** All that is appended together: what stands in front of the request, then the request. */
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
    throw new AgentError('agent/conflict', 'the log did not return the request that was appended: read it again');
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

/** The words of a side call reach the model as they are written down: masked before they are made a request (L1, L2). */
async function maskSideCall(session: Session, options: CallOptions): Promise<CallOptions> {
  const { at, beside } = options;
  if (beside === undefined) return options;
  const said = { kind: 'prompt.given', at, data: { parts: beside.extra, presenter: beside.stream } } as const;
  const event = await session.secrets.maskEvent(said);
  const extra: readonly ContentPart[] = event.kind === 'prompt.given' ? event.data.parts : [];
  return { ...options, beside: { ...beside, extra } };
}

type RequestStamp = Pick<Event, 'at' | 'turn'>;

const isOpening = (event: { readonly kind: string }): event is RecordedOf<'epoch.opened'> =>
  event.kind === 'epoch.opened';
const isRequest = (event: { readonly kind: string }): event is RecordedOf<'request.prepared'> =>
  event.kind === 'request.prepared';

/**
 * @throws AgentError `agent/unknown-kind` for a log that a later version wrote, `agent/unclosed-history` while calls are open,
 *   `agent/nothing-to-send`.
 */
function requireSendable(state: State): void {
  requireKnown(state);
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

/**
 * The same for a side call, which open calls do not stop: it is made in the epoch in force, and by that one's provider.
 *
 * @throws AgentError `agent/unknown-kind`, `agent/other-provider`.
 */
function requireSendableBeside(state: State, provider: string): void {
  requireKnown(state);
  const { epoch } = state;
  if (epoch === undefined || epoch.opened.provider === provider) return;
  throw new AgentError(
    'agent/other-provider',
    `the conversation is with ${epoch.opened.provider} still, and this session is now run with ${provider}: a side call can be made once the next prompt was sent`,
    { epoch: epoch.opened.provider, provider },
  );
}

function requireKnown({ unknown }: State): void {
  if (unknown === undefined) return;
  throw new AgentError(
    'agent/unknown-kind',
    `record ${unknown.position} is a "${unknown.name}", which this version does not know: run it with the version that wrote it`,
    unknown,
  );
}

// Decides whether a request may go on from the answer before it by the provider's id of that answer. Only what this process saw
// counts: another process has no connection that would remember the answer. The decision is recorded, so the bytes can be made
// again anywhere (L2).

/** The last finished answer of the main stream, as it was received, and the request that it answers. */
interface Heard {
  readonly sequence: Sequence;
  readonly encoder: string;
  readonly parts: readonly AnswerPart[];
  /** Absent where the answer has no id, or is not whole. */
  readonly response: string | undefined;
}

/**
 * Why a request does not go on from the answer before. `parameters`: a setting, the model or the encoder is another;
 * `not-extending`: the blocks are; `answer-edited`: the answer is not packed exactly as it was received; `unfinished`: it
 * has no id, or was cut.
 */
type ContinuationReset = 'parameters' | 'not-extending' | 'answer-edited' | 'unfinished';

/** An answer to a request of this sequence, for the request behind it. */
export function heardFrom(sequence: Sequence, encoder: string, answer: Answer): Heard {
  const { parts, truncated } = answer;
  return { sequence, encoder, parts, response: truncated === 'no' ? answer.response : undefined };
}

/** Where the request behind this answer goes on from it. Nothing for an encoder that knows no such request. */
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

/** Each part is one block, in order, and then somebody else speaks. */
function isEchoed(heard: Heard, { blocks }: Sequence, echoes: NonNullable<Encoder['echoes']>): boolean {
  const begin = heard.sequence.blocks.length;
  const next = itemAt(blocks, begin + heard.parts.length);
  if (next === undefined || next.role === 'assistant') return false;
  return heard.parts.every((part, index) => {
    const block = itemAt(blocks, begin + index);
    return block?.role === 'assistant' && echoes(part, block);
  });
}
