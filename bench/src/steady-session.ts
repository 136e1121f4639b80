// Creates a session of an agent that continues as long as a benchmark needs. Answers and results are made without delay,
// so that only the agent, the fold and the store are measured.

import type { AgentSession } from '@tidemark/agent';
import { createAgent } from '@tidemark/kit';
import type { EffectClass, Event, Log, RequestPrepared, SessionId } from '@tidemark/log';
import { position } from '@tidemark/log';
import type { Answer, AnswerPart, Usage } from '@tidemark/model';

import { madeProvider } from './made-provider.ts';
import { madeText } from './made-text.ts';
import { madeTools, readsBack, ROLE, toolName } from './made-tools.ts';
import type { Stopwatch } from './stopwatch.ts';
import type { VirtualTime } from '@tidemark/agent/contract';
import { virtualTime } from '@tidemark/agent/contract';
import { watchedLog } from './watched-log.ts';

/** Options of a steady session. */
export interface SteadyOptions {
  readonly log: Log;
  /** Number of calls in each step. */
  readonly calls: number;
  /** Bytes of each result, and of each prompt. */
  readonly bytes: number;
  /** Effect class of all tools. Default: `read`. */
  readonly effect?: EffectClass;
  /**
   * True for a window that is never full, in which old results are shortened when this lowers the cost. The session can
   * then continue without limit.
   */
  readonly endless?: boolean;
  readonly watches?: SteadyWatches;
}

/** Stopwatches for the work that is not the agent's own. */
export interface SteadyWatches {
  readonly append: Stopwatch;
  readonly join: Stopwatch;
  /** Time of making the answers and the results. */
  readonly made: Stopwatch;
  /** Called when a request arrives at the provider. */
  readonly arrived: () => void;
}

/** A session that continues as long as a benchmark needs. */
export interface SteadySession {
  readonly id: SessionId;
  /** Number of records in its log. */
  readonly length: number;
  /**
   * Runs one turn of this many steps. Each step is a request, an answer, and the results of its calls. The answer of
   * the last step is only text.
   */
  turn(steps: number): Promise<void>;
  /**
   * Appends a checkpoint of the whole history after the next turn. The following request opens the epoch that applies
   * the checkpoint.
   */
  compact(): void;
  close(): Promise<void>;
}

interface Steady {
  readonly options: SteadyOptions;
  readonly time: VirtualTime;
  /** Number of steps with calls that are left in the turn. */
  left: number;
  made: number;
  length: number;
  compacting: boolean;
  forecast: RequestPrepared['forecast'] | undefined;
}

const MODEL = 'claude-opus-5-5';
const STEP_MS = 1_000;
const ROOM = { inputLimit: 1e9, window: { tokens: 1e9, sharedWithOutput: 'no' }, requestBytes: 1e12 } as const;
const ENDLESS = { revision: 1, rows: [{ provider: 'anthropic', model: MODEL, ...ROOM }] } as const;

/** Opens a session without any turn. */
export async function beginSteady(options: SteadyOptions): Promise<SteadySession> {
  const steady: Steady = {
    options,
    time: virtualTime(),
    left: 0,
    made: 0,
    length: 0,
    compacting: false,
    forecast: undefined,
  };
  const session = await openSession(steady);
  return {
    id: session.id,
    get length() {
      return steady.length;
    },
    turn: (steps) => runTurn(steady, session, steps),
    compact: () => void (steady.compacting = true),
    close: () => session.close(),
  };
}

function openSession(steady: Steady): Promise<AgentSession> {
  const { log, bytes, watches, effect = 'read', endless = false } = steady.options;
  const make = <T>(work: () => T): T => (watches === undefined ? work() : watches.made.run(work));
  const answer = (): Answer => {
    watches?.arrived();
    return make(() => makeAnswer(steady));
  };
  const run = (): string => make(() => madeText(bytes, steady.made));
  const agent = createAgent({
    model: MODEL,
    provider: madeProvider(answer, watches?.join),
    store: watchedLog(log, { time: watches?.append, appending: (events) => appending(steady, events) }),
    instructions: ROLE,
    tools: [...madeTools(run, effect), ...(endless ? [readsBack(run)] : [])],
    ...(endless ? { modelOptions: { catalog: ENDLESS } } : {}),
    permissions: { mode: 'auto' },
    host: { clock: steady.time.surroundings },
  });
  return agent.open();
}

async function runTurn(steady: Steady, session: AgentSession, steps: number): Promise<void> {
  steady.left = steps - 1;
  steady.time.pass(STEP_MS);
  const { outcome, error } = await session.prompt(madeText(steady.options.bytes, steady.made));
  if (outcome !== 'completed') throw new Error(`a turn ended as ${outcome}: ${error?.message ?? 'no error'}`);
}

function makeAnswer(steady: Steady): Answer {
  const { options, left, made, time } = steady;
  steady.left -= 1;
  steady.made += 1;
  time.pass(STEP_MS);
  const calls = left <= 0 ? [] : madeCalls(options.calls, made);
  const parts: readonly AnswerPart[] = [{ type: 'text', text: madeText(120, made) }, ...calls];
  return { parts, stop: calls.length === 0 ? 'end' : 'calls', truncated: 'no', usage: usageOf(steady) };
}

function madeCalls(count: number, made: number): readonly AnswerPart[] {
  return Array.from({ length: count }, (_, index) => ({
    type: 'call',
    call: `toolu_${made}_${index}`,
    name: toolName(index),
    arguments: `{"path":"src/${made}/${index}.ts","bytes":200}`,
  }));
}

/** Returns the forecast as the usage, so that no call has a miss. */
function usageOf({ forecast }: Steady): Usage {
  const { read = 0, write = 0, fresh = 0 } = forecast ?? {};
  return { fresh, read, writes: [{ ttl: '5m', tokens: write }], answer: 60 };
}

function appending(steady: Steady, events: readonly Event[]): readonly Event[] {
  const request = events.find((event) => event.kind === 'request.prepared');
  steady.forecast = request?.data.forecast ?? steady.forecast;
  const more = steady.compacting ? events.flatMap((event) => checkpointBehind(steady, event)) : [];
  if (more.length > 0) steady.compacting = false;
  steady.length += events.length + more.length;
  return more;
}

function checkpointBehind({ length, made }: Steady, { kind, at }: Event): readonly Event[] {
  if (kind !== 'turn.ended') return [];
  const range = { from: position(0), to: position(length - 1) };
  const checkpoint = madeText(2_000, made);
  const data = { range, strategy: 'deterministic', trigger: 'bench', checkpoint, limitations: [] } as const;
  return [{ kind: 'history.compacted', at, data }];
}
