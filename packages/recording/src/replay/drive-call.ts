// Replays one recorded call: prepares the request from the log, sends it to the simulator, and records the answer.

import { defined } from '@tidemark/core';
import type { CallOptions, Prepared, Session } from '@tidemark/agent';
import {
  commit,
  keepCapabilities,
  lastingOf,
  newHash,
  prepareRequest,
  recordAnswer,
  recordInterrupted,
} from '@tidemark/agent';
import type { FrontTexts, RequestSpec, State } from '@tidemark/context';
import { composeFront, itemAt, estimateImageTokens, estimateTokens, layer, slice } from '@tidemark/context';
import type { Event, Timestamp, SessionId } from '@tidemark/log';
import type { Answer, Capabilities, Usage, Part, Span } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import type { Driving } from './driving.ts';
import { asTime, later } from './driving.ts';
import type { RecordedCall } from './recorded-call.ts';
import type { ServedRequest } from './serve.ts';

/**
 * Replays one recorded call and reports it to `onCall`. If the simulator refuses the call, the report contains the
 * reason and no usage.
 */
export async function driveCall(driving: Driving, call: RecordedCall): Promise<void> {
  const { options } = driving;
  const { session, provider } = options;
  driving.model ??= call.data.model;
  const row = options.row(options.settings === 'first' ? driving.model : call.data.model);
  driving.clock = Math.max(later(driving, call.startedAt), provider.told);
  provider.told = driving.clock;
  const sentAt = asTime(driving.clock);
  await endWithUser(session, sentAt);
  const before = session.state.streams['main']?.accepted?.at;
  const step = session.state.steps;
  driving.called = await callOptions(driving, call, row.capabilities, sentAt);
  const prepared = await prepareRequest(session, driving.promptStreams, driving.called);
  const served = await provider.serve(prepared, sentAt, call);
  driving.clock = later(driving, call.endedAt);
  if ('refused' in served) await fail(session, step, served.refused, driving.clock, call);
  else await answer(session, prepared, call, served, asTime(driving.clock));
  const usage = 'refused' in served ? undefined : served.usage;
  options.onCall({
    step,
    recorded: call,
    prepared,
    row,
    usage,
    refused: 'refused' in served ? served.refused : undefined,
    before,
  });
}

/**
 * Makes sure that the request ends with a message of the user, as the provider requires. If the recording does not
 * contain the user's text, adds a placeholder prompt.
 */
async function endWithUser(session: Session, sentAt: Timestamp): Promise<void> {
  const last = itemAt(session.state.history.packed, -1);
  if (last !== undefined && last.role !== 'assistant') return;
  const parts = [{ type: 'text', text: '[The recording does not hold what was said here.]' }] as const;
  await commit(session, [{ kind: 'prompt.given', at: sentAt, data: { parts, presenter: 'replay' } }]);
}

/** Output limit of a replayed request, in tokens. The limit is large enough for the usual reasoning budgets. */
const OUTPUT_LIMIT = 20_480;

async function callOptions(
  driving: Driving,
  call: RecordedCall,
  capabilities: Capabilities,
  sentAt: Timestamp,
): Promise<CallOptions> {
  const { session, id, warm } = driving.options;
  const ttl = lastingOf(driving.options.ttl ?? 'auto', warm ? 'auto' : 'off', capabilities, session.state);
  const outputLimit = Math.min(OUTPUT_LIMIT, capabilities.outputLimit);
  driving.front ??= frontOf(driving, opaqueFront(session.state, call.input, id));
  const storedRow = driving.rows.get(capabilities.model) ?? keepCapabilities(session.log.artifacts, capabilities);
  driving.rows.set(capabilities.model, storedRow);
  const parameters = driving.levels(driving.reasoning, outputLimit);
  const wanted: RequestSpec = {
    provider: 'anthropic',
    model: capabilities.model,
    parameters,
    capabilities: await storedRow,
    texts: driving.front,
  };
  const made = { at: sentAt, wanted, capabilities, encoder: anthropicEncoder, outputLimit, ttl };
  const { pruning } = driving.options;
  if (pruning !== 'off') return { ...made, pruning };
  const resize = driving.sizes.resize(call.input, capabilities.thinkingStripped === 'at-new-turn');
  return { ...made, resize };
}

const READS_BACK = {
  name: 'history_read',
  description: 'Reads events of this session by position.',
  schema: { type: 'object' },
};

/**
 * Adds a tool that reads events back, unless pruning is `off`. Pruning can shorten results, and shortened text must
 * stay readable (L6).
 */
function frontOf({ options: { pruning } }: Driving, front: FrontTexts): FrontTexts {
  return pruning === 'off' ? front : { ...front, tools: composeFront({ tools: [READS_BACK] }, newHash).tools };
}

/**
 * Records a refused call, which has no usage. The recorded answer is added too, because later calls contain it in their
 * history.
 */
async function fail(session: Session, step: number, message: string, clock: number, call: RecordedCall): Promise<void> {
  const at = asTime(clock);
  const data = { step, stream: 'main', class: 'refused', code: 'provider/invalid', message } as const;
  const { usage: _usage, ...recorded } = { ...call.data, step };
  const answerEvent: Event =
    'stop' in recorded
      ? { kind: 'answer.received', at, data: { ...recorded, usage: {} } }
      : { kind: 'answer.interrupted', at, data: recorded };
  await commit(session, [{ kind: 'answer.failed', at, data }, answerEvent]);
}

async function answer(
  session: Session,
  prepared: Prepared,
  call: RecordedCall,
  served: Extract<ServedRequest, { usage: Usage }>,
  at: Timestamp,
): Promise<void> {
  const { data } = call;
  const { answer: output, reasoning } = call.usage;
  const usage: Usage = {
    ...served.usage,
    ...defined({ answer: output, reasoning }),
  };
  if (!call.received || !('stop' in data)) {
    const cut: Answer = { parts: data.parts, stop: 'other', truncated: 'unknown', usage };
    await recordInterrupted(session, prepared, 'by' in data ? data : { by: 'transport' }, cut, at);
    return;
  }
  const { stop, truncated, stopRaw } = data;
  const recorded: Answer = defined({ parts: data.parts, stop, truncated, usage, stopRaw });
  await recordAnswer(session, prepared, served.answer ?? recorded, at);
}

/**
 * Largest share of the first call's input that is counted as tail. The estimate of the tail can be too high, so at
 * least a tenth of the input counts as front.
 */
const LARGEST_TAIL = 0.9;

/**
 * Returns the front of a session whose first call has `input` tokens. The recording contains no system text and no tool
 * schemas, so one opaque layer replaces them. The size of this layer is the input of the first call minus the estimated
 * tail.
 */
function opaqueFront(state: State, input: number, id: SessionId): FrontTexts {
  const tail = slice(state.history.packed).reduce((sum, span) => sum + estimateSpan(span), 0);
  const tokens = Math.max(1, input - Math.min(tail, Math.floor(input * LARGEST_TAIL)));
  const text = `The front of this recording (system text and tool schemas of ${id}) is not in the file: ${tokens} tokens.`;
  const opaque = layer('recorded-front', 'opaque', 'session', text, newHash);
  return {
    contract: 'recorded',
    layers: [{ ...opaque, record: { ...opaque.record, tokens, sized: 'recorded' } }],
    tools: [],
  };
}

function estimateSpan(span: Span): number {
  return span.parts.reduce((sum, part) => sum + estimatePart(part), 0);
}

function estimatePart(part: Part): number {
  switch (part.type) {
    case 'text':
      return estimateTokens(part.text);
    case 'image':
      return estimateImageTokens(part.width, part.height, part.bytes);
    case 'call':
      return estimateTokens(part.arguments);
    case 'reasoning':
      return estimateTokens(part.text);
    case 'native':
      return estimateTokens(part.item);
    case 'result':
      return part.content.reduce((sum, one) => sum + estimatePart(one), 0);
    case 'change':
      // A recording never contains a change, because only the runtime appends changes.
      return 0;
  }
}
