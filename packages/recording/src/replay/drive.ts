// A recorded session driven again: each of its facts goes into a new log, and each billed call through fold, front, plan,
// encoding and the simulator's cache accounting, at the time it was recorded.

import type { Artifacts, Event, Position, Recorded, Timestamp } from '@tidemark/log';
import { timestamp } from '@tidemark/log';
import type { CallOptions, Lines, Prepared, Session } from '@tidemark/agent';
import { commit, keepCapabilities, newHash, prepareRequest, recordAnswer, recordInterrupted } from '@tidemark/agent';
import type { FrontTexts, Wanted } from '@tidemark/context';
import { itemAt } from '@tidemark/context';
import type { Answer, Capabilities, Usage } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import type { Destination } from './carry.ts';
import { carried, carryBytes } from './carry.ts';
import { opaqueFront } from './opaque-front.ts';
import type { Levels } from './reasoning-level.ts';
import { createLevels } from './reasoning-level.ts';
import type { RecordedCall } from './recorded-call.ts';
import { recordedCall } from './recorded-call.ts';
import type { Sizes } from './size.ts';
import { createSizes } from './size.ts';
import type { Provider, Served } from './serve.ts';
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
export interface DriveOptions extends Pick<Destination, 'id' | 'root' | 'parent' | 'name'> {
  readonly session: Session;
  /** The facts, in order, and the bytes that they name. */
  readonly records: AsyncIterable<Recorded>;
  readonly bytes: Artifacts;
  /** The row for a recorded model. */
  readonly row: (model: string) => Row;
  readonly provider: Provider;
  /** Positions of the recording at which forks leave it. */
  readonly forksAt: ReadonlySet<number>;
  readonly onCall: (call: DrivenCall) => void;
}

/** Where a drive pauses: before a call, with its time in milliseconds; or where a fork leaves, with what the fork takes over. */
export type Pause = { readonly callAt: number } | { readonly leaves: Position; readonly memory: Memory };

/** What is known of a stream beside its log; a fork goes on with a copy of its parent's. */
export interface Memory {
  readonly sizes: Sizes;
  readonly levels: Levels;
  /** New length of the log after each old record. */
  readonly lengths: readonly number[];
  /** The parent's own list, which goes on to grow. */
  readonly trunk: readonly number[];
  readonly front: FrontTexts | undefined;
  readonly reasoning: string | undefined;
}

interface Drive {
  readonly options: DriveOptions;
  readonly sizes: Sizes;
  readonly levels: Levels;
  readonly lines: Lines;
  readonly rows: Map<string, Promise<Wanted['capabilities']>>;
  readonly lengths: number[];
  readonly trunk: readonly number[];
  front: FrontTexts | undefined;
  reasoning: string | undefined;
  clock: number;
  begun: boolean;
}

/** Drives one session into `options.session`, which holds nothing of its own yet. Ends when the records do. */
export async function* drive(options: DriveOptions, inherited?: Memory): AsyncGenerator<Pause, void> {
  const drive = beginDrive(options, inherited);
  for await (const record of options.records) {
    const call = recordedCall(record);
    if (call === undefined) {
      await follow(drive, record);
    } else {
      yield { callAt: later(drive, call.startedAt) };
      await driveCall(drive, call);
    }
    drive.lengths[record.position] = options.session.state.length;
    if (!options.forksAt.has(record.position)) continue;
    await options.session.writer.sync();
    yield { leaves: record.position, memory: memoryOf(drive) };
  }
  await options.session.writer.sync();
}

function beginDrive(options: DriveOptions, inherited: Memory | undefined): Drive {
  return {
    options,
    sizes: inherited?.sizes ?? createSizes(newHash),
    levels: inherited?.levels ?? createLevels(),
    lines: { main: undefined },
    rows: new Map(),
    lengths: [...(inherited?.lengths ?? [])],
    trunk: inherited?.trunk ?? [],
    front: inherited?.front,
    reasoning: inherited?.reasoning,
    clock: 0,
    begun: false,
  };
}

function memoryOf({ sizes, levels, lengths, front, reasoning }: Drive): Memory {
  return { sizes: sizes.copy(), levels, lengths: [...lengths], trunk: lengths, front, reasoning };
}

async function follow(drive: Drive, record: Recorded): Promise<void> {
  const { options, lengths, trunk, begun } = drive;
  if (record.kind === 'epoch.opened') drive.reasoning = reasoningOf(record.data.parameters);
  const event = carried(record, { ...options, lengths, trunk, begun });
  if (event === undefined) return;
  await carryBytes(event, options.bytes, options.session.log.artifacts);
  await commit(options.session, [event]);
  drive.begun = true;
}

function reasoningOf(parameters: { readonly [name: string]: unknown }): string | undefined {
  const setting = parameters['reasoning'];
  return typeof setting === 'string' ? setting : undefined;
}

async function driveCall(drive: Drive, call: RecordedCall): Promise<void> {
  const { options } = drive;
  const { session, provider } = options;
  const row = options.row(call.data.model);
  drive.clock = Math.max(later(drive, call.startedAt), provider.told);
  provider.told = drive.clock;
  const sentAt = asTime(drive.clock);
  await endWithUser(session, sentAt);
  const before = session.state.streams['main']?.accepted?.at;
  const step = session.state.steps;
  const prepared = await prepareRequest(session, drive.lines, await callOptions(drive, call, row.capabilities, sentAt));
  const served = await provider.serve(prepared, sentAt, call);
  drive.clock = later(drive, call.endedAt);
  if ('refused' in served) await fail(session, step, served.refused, drive.clock, call);
  else await answer(session, prepared, call, served, asTime(drive.clock));
  const usage = 'refused' in served ? undefined : served.usage;
  options.onCall({ step, recorded: call, prepared, row, usage, refused: 'refused' in served ? served.refused : undefined, before });
}

/** Calls start in the order they are recorded: a clock that went back stands still. */
function later({ clock }: Drive, time: Timestamp): number {
  return Math.max(clock, Date.parse(time));
}

function asTime(clock: number): Timestamp {
  return timestamp(new Date(clock).toISOString());
}

/** A request ends with the user. Where the file does not hold what was said then, the drive says so in its place. */
async function endWithUser(session: Session, sentAt: Timestamp): Promise<void> {
  const last = itemAt(session.state.history.packed, -1);
  if (last !== undefined && last.role !== 'assistant') return;
  const parts = [{ type: 'text', text: '[The recording does not hold what was said here.]' }] as const;
  await commit(session, [{ kind: 'prompt.given', at: sentAt, data: { parts, presenter: 'replay' } }]);
}

/** Enough for the usual reasoning budgets. */
const OUTPUT_LIMIT = 20_480;

async function callOptions(drive: Drive, call: RecordedCall, capabilities: Capabilities, sentAt: Timestamp): Promise<CallOptions> {
  const { session, id } = drive.options;
  const outputLimit = Math.min(OUTPUT_LIMIT, capabilities.outputLimit);
  drive.front ??= opaqueFront(session.state, call.input, id);
  const kept = drive.rows.get(capabilities.model) ?? keepCapabilities(session.log.artifacts, capabilities);
  drive.rows.set(capabilities.model, kept);
  const parameters = drive.levels(drive.reasoning, outputLimit);
  const wanted: Wanted = { provider: 'anthropic', model: capabilities.model, parameters, capabilities: await kept, texts: drive.front };
  const resize = drive.sizes.resize(call.input, capabilities.thinkingStripped === 'at-new-turn');
  return { at: sentAt, wanted, capabilities, encoder: anthropicEncoder, outputLimit, resize };
}

/** A refused call has no usage. What was answered then still stands in the history of the calls behind it. */
async function fail(session: Session, step: number, message: string, clock: number, call: RecordedCall): Promise<void> {
  const at = asTime(clock);
  const data = { step, stream: 'main', class: 'refused', code: 'provider/invalid', message } as const;
  const { usage: _usage, ...said } = { ...call.data, step };
  const kept: Event = 'stop' in said ? { kind: 'answer.received', at, data: { ...said, usage: {} } } : { kind: 'answer.interrupted', at, data: said };
  await commit(session, [{ kind: 'answer.failed', at, data }, kept]);
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
