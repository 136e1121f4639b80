// A recorded session driven again: each of its facts goes into a new log, and each billed call through fold, front, plan,
// encoding and the simulator's cache accounting, at the time it was recorded.

import type { Event, EventOf, Parent, Recorded, SessionId, Timestamp } from '@tidemark/log';
import { position as asPosition, timestamp } from '@tidemark/log';
import type { Lines, Prepared, Session } from '@tidemark/agent';
import { commit, keepCapabilities, newHash, prepareRequest, recordAnswer, recordInterrupted } from '@tidemark/agent';
import type { FrontTexts, State, Wanted } from '@tidemark/context';
import { at, estimateImageTokens, estimateTokens, layer, slice } from '@tidemark/context';
import type { Answer, Capabilities, Part, Span, Usage } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import type { RecordedCall } from './recorded-call.ts';
import { recordedCall } from './recorded-call.ts';
import type { Sizes } from './size.ts';
import { createSizes } from './size.ts';
import type { Serve, Served } from './serve.ts';
import type { Row } from './stand-in.ts';

/** One call as it was driven. */
export interface DrivenCall {
  readonly step: number;
  readonly recorded: RecordedCall;
  readonly prepared: Prepared;
  readonly row: Row;
  readonly usage: Usage | undefined;
  /** The simulator's refusal, where it refused. */
  readonly refused: string | undefined;
  /** When the call before it on its stream was sent. */
  readonly before: Timestamp | undefined;
}

/** What a drive is made with. */
export interface DriveOptions {
  readonly session: Session;
  readonly id: SessionId;
  readonly root: SessionId;
  readonly parent?: Parent;
  /** The facts, in order. */
  readonly records: AsyncIterable<Recorded>;
  /** The row for a recorded model. */
  readonly row: (model: string) => Row;
  /** Sends a prepared request to the simulator at a time. */
  readonly serve: Serve;
  readonly onCall: (call: DrivenCall) => void;
}

/** What is known while a session is driven. */
interface Drive {
  readonly options: DriveOptions;
  readonly sizes: Sizes;
  readonly lines: Lines;
  readonly rows: Map<string, Promise<Wanted['capabilities']>>;
  /** New length of the log after each old record. */
  readonly lengths: number[];
  front: FrontTexts | undefined;
  reasoning: string | undefined;
  clock: number;
  begun: boolean;
}

/** Where each record of the recording went. */
export interface Driven {
  /** Length of the driven log after the record at this position. */
  readonly lengths: readonly number[];
}

/** Drives one session into `session`, which holds nothing of its own yet. */
export async function drive(options: DriveOptions, inherited?: Driven): Promise<Driven> {
  const drive: Drive = {
    options,
    sizes: createSizes(newHash),
    lines: { main: undefined },
    rows: new Map(),
    lengths: [...(inherited?.lengths ?? [])],
    front: undefined,
    reasoning: undefined,
    clock: 0,
    begun: false,
  };
  for await (const record of options.records) {
    await follow(drive, record);
    drive.lengths[record.position] = options.session.state.length;
  }
  await options.session.writer.sync();
  return { lengths: drive.lengths };
}

async function follow(drive: Drive, record: Recorded): Promise<void> {
  const call = recordedCall(record);
  if (call !== undefined) return driveCall(drive, call);
  if (record.kind === 'epoch.opened') drive.reasoning = reasoningOf(record.data.parameters);
  const event = carried(drive, record);
  if (event === undefined) return;
  await commit(drive.options.session, [event]);
  drive.begun = true;
}

const NO_REASONING = ['off', 'none'];

function reasoningOf(parameters: { readonly [name: string]: unknown }): string | undefined {
  const setting = parameters['reasoning'];
  return typeof setting === 'string' && !NO_REASONING.includes(setting) ? setting : undefined;
}

/** A fact as the driven log holds it; nothing for what the drive itself decides. */
function carried(drive: Drive, record: Recorded): Event | undefined {
  switch (record.kind) {
    case 'unknown':
    case 'epoch.opened':
    case 'request.prepared':
    case 'foreign.recorded':
      return undefined;
    case 'session.created':
      // An ancestor's beginning, where a fork is driven without its parent, is no beginning here.
      return drive.begun ? undefined : created(drive, record);
    case 'history.compacted':
      return { kind: record.kind, at: record.at, data: { ...record.data, range: moved(drive, record.data.range) } };
    case 'branch.summarized':
      return { kind: record.kind, at: record.at, data: { ...record.data, range: moved(drive, record.data.range) } };
    default:
      return bare(record);
  }
}

function created({ options }: Drive, record: Extract<Recorded, { kind: 'session.created' }>): EventOf<'session.created'> {
  const { workspace, title } = record.data;
  const { id, root, parent } = options;
  const data = { id, root, workspace, ...(title === undefined ? {} : { title }), ...(parent === undefined ? {} : { parent }) };
  return { kind: 'session.created', at: record.at, data };
}

function bare(record: Exclude<Recorded, { kind: 'unknown' }>): Event {
  const { v: _v, position: _position, fence: _fence, chain: _chain, ...event } = record;
  return event;
}

/** A range of the recording, where its facts went. */
function moved({ lengths }: Drive, range: { readonly from: number; readonly to: number }): { from: ReturnType<typeof asPosition>; to: ReturnType<typeof asPosition> } {
  const from = range.from === 0 ? 0 : (lengths[range.from - 1] ?? 0);
  return { from: asPosition(from), to: asPosition(Math.max(0, (lengths[range.to] ?? 1) - 1)) };
}

async function driveCall(drive: Drive, call: RecordedCall): Promise<void> {
  const { options } = drive;
  const row = options.row(call.data.model);
  const sentAt = later(drive, call.startedAt);
  await endWithUser(drive, sentAt);
  if (options.session.state.history.packed.length === 0) return;
  const before = options.session.state.streams['main']?.accepted?.at;
  const step = options.session.state.steps;
  const prepared = await prepareRequest(options.session, drive.lines, await callOptions(drive, call, row.capabilities, sentAt));
  const served = await options.serve(prepared, sentAt, call);
  const endedAt = later(drive, call.endedAt);
  if ('refused' in served) await fail(options.session, step, served.refused, endedAt);
  else await answer(options.session, prepared, call, served, endedAt);
  const usage = 'refused' in served ? undefined : served.usage;
  options.onCall({ step, recorded: call, prepared, row, usage, refused: 'refused' in served ? served.refused : undefined, before });
}

/** Calls start in the order they are recorded: a clock that went back stands still. */
function later(drive: Drive, time: Timestamp): Timestamp {
  drive.clock = Math.max(drive.clock, Date.parse(time));
  return timestamp(new Date(drive.clock).toISOString());
}

/** A request ends with the user. Where the file does not hold what was said then, the drive says so in its place. */
async function endWithUser({ options }: Drive, sentAt: Timestamp): Promise<void> {
  const { packed } = options.session.state.history;
  if (at(packed, -1)?.role !== 'assistant') return;
  const parts = [{ type: 'text', text: '[The recording does not hold what was said here.]' }] as const;
  await commit(options.session, [{ kind: 'prompt.given', at: sentAt, data: { parts, presenter: 'replay' } }]);
}

async function callOptions(drive: Drive, call: RecordedCall, capabilities: Capabilities, sentAt: Timestamp): Promise<Parameters<typeof prepareRequest>[2]> {
  const { session } = drive.options;
  const parameters = reasoningParameters(drive.reasoning);
  drive.front ??= opaqueFront(session.state, call.input, drive.options.id);
  const kept = drive.rows.get(capabilities.model) ?? keepCapabilities(session.log.artifacts, capabilities);
  drive.rows.set(capabilities.model, kept);
  const wanted: Wanted = { provider: 'anthropic', model: capabilities.model, parameters, capabilities: await kept, texts: drive.front };
  const strips = capabilities.thinkingStripped === 'at-new-turn';
  const resize = drive.sizes.resize(call.input, strips);
  return { at: sentAt, wanted, capabilities, encoder: anthropicEncoder, outputLimit: OUTPUT_LIMIT, resize };
}

/** Enough for any reasoning budget below. */
const OUTPUT_LIMIT = 20_480;

/** Reasoning levels of recordings, as budgets in tokens. What counts here is that another level is another parameter. */
const BUDGETS: Readonly<Record<string, number>> = { minimal: 1_024, low: 2_048, medium: 4_096, high: 8_192, xhigh: 16_384, max: 18_432 };

function reasoningParameters(level: string | undefined): Wanted['parameters'] {
  return level === undefined ? {} : { thinking: { type: 'enabled', budget_tokens: budgetOf(level) } };
}

/** A level by name, or the budget itself, as some recordings have it. */
function budgetOf(level: string): number {
  const asked = BUDGETS[level] ?? Number(level);
  return Number.isFinite(asked) ? Math.min(Math.max(asked, 1_024), OUTPUT_LIMIT - 1) : 12_288;
}

/** System text and schemas are not in the file: one opaque layer of the size that the first prompt leaves. */
function opaqueFront(state: State, input: number, id: SessionId): FrontTexts {
  const tail = slice(state.history.packed).reduce((sum, span) => sum + estimateSpan(span), 0);
  const tokens = Math.max(1, input - Math.min(tail, Math.floor(input * LARGEST_TAIL)));
  const text = `The front of this recording (system text and tool schemas of ${id}) is not in the file: ${tokens} tokens.`;
  const opaque = layer('recorded-front', 'opaque', 'session', text, newHash);
  return { contract: 'recorded', layers: [{ ...opaque, record: { ...opaque.record, tokens, sized: 'recorded' } }], tools: [] };
}

/** An estimate may be too high: the front is then a tenth of the first call, not nothing. */
const LARGEST_TAIL = 0.9;

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
  }
}

async function fail(session: Session, step: number, message: string, at: Timestamp): Promise<void> {
  const data = { step, stream: 'main', class: 'refused', code: 'provider/invalid', message } as const;
  await commit(session, [{ kind: 'answer.failed', at, data }]);
}

async function answer(session: Session, prepared: Prepared, call: RecordedCall, served: Extract<Served, { usage: Usage }>, at: Timestamp): Promise<void> {
  const { data } = call;
  const { answer: output, reasoning } = call.usage;
  const usage: Usage = { ...served.usage, ...(output === undefined ? {} : { answer: output }), ...(reasoning === undefined ? {} : { reasoning }) };
  if (!call.received || !('stop' in data)) {
    const cut: Answer = { parts: data.parts, stop: 'other', truncated: 'unknown', usage };
    await recordInterrupted(session, prepared, 'by' in data ? data.by : 'transport', cut, at);
    return;
  }
  const { stop, truncated, stopRaw } = data;
  const recorded: Answer = { parts: data.parts, stop, truncated, usage, ...(stopRaw === undefined ? {} : { stopRaw }) };
  await recordAnswer(session, prepared, served.answer ?? recorded, at);
}
