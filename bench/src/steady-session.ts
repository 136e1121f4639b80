// A session that goes on step by step with answers made here: no provider, no simulator, so that what is measured is the
// agent, the fold and the store.

import type { EventOf, Log, SessionId, Timestamp } from '@tidemark/log';
import { callId, position, sessionId, timestamp } from '@tidemark/log';
import type { CallOptions, Lines, Session } from '@tidemark/agent';
import { commit, createSession, keepCapabilities, prepareRequest, recordAnswer } from '@tidemark/agent';
import type { Answer, AnswerPart, Encoder } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';

import { FRONT, rowOf } from './agent-front.ts';
import { madeText } from './made-text.ts';

/** What a steady session is like. */
export interface SteadyOptions {
  readonly log: Log;
  readonly encoder?: Encoder;
  /** Calls in each step; with none, each step is a turn of chat. */
  readonly calls: number;
  /** Bytes of each result, or of a prompt where there are no calls. */
  readonly bytes: number;
}

/** See the head of this file. */
export interface SteadySession {
  readonly id: SessionId;
  readonly session: Session;
  /** A request, its answer, and the results of its calls: with one call four records. */
  step(): Promise<void>;
  /** A checkpoint for everything so far. The next step opens the epoch that packs it. */
  compact(): Promise<void>;
}

interface Steady {
  readonly options: SteadyOptions;
  readonly session: Session;
  readonly lines: Lines;
  readonly call: Omit<CallOptions, 'at'>;
  clock: number;
  steps: number;
}

const MODEL = 'claude-opus-5-5';
const START = Date.UTC(2026, 10, 20, 9);

/** Begins a session with one prompt. */
export async function beginSteady(options: SteadyOptions): Promise<SteadySession> {
  const id = sessionId('steady');
  const session = await createSession(options.log, id);
  const row = rowOf(MODEL);
  const kept = await keepCapabilities(options.log.artifacts, row);
  const wanted = { provider: row.provider, model: row.model, parameters: {}, capabilities: kept, texts: FRONT };
  const { encoder = anthropicEncoder } = options;
  const call = { wanted, capabilities: row, encoder, outputLimit: 4_096 };
  const steady: Steady = { options, session, lines: { main: undefined }, call, clock: START, steps: 0 };
  const data = { id, root: id, workspace: '/home/user/shop' };
  await commit(session, [{ kind: 'session.created', at: tick(steady), data }, prompt(steady)]);
  return { id, session, step: () => step(steady), compact: () => compact(steady) };
}

async function step(steady: Steady): Promise<void> {
  const { session, lines, options } = steady;
  const prepared = await prepareRequest(session, lines, { ...steady.call, at: tick(steady) });
  const { read, write, fresh } = prepared.record.data.forecast;
  const answer = makeAnswer(steady, { fresh, read, writes: [{ ttl: '5m', tokens: write }], answer: 60 });
  await recordAnswer(session, prepared, answer, tick(steady));
  steady.steps += 1;
  if (options.calls === 0) await commit(session, [prompt(steady)]);
  else await runTools(steady, answer);
}

function makeAnswer({ options, steps }: Steady, usage: Answer['usage']): Answer {
  const calls = Array.from({ length: options.calls }, (_, index): AnswerPart => ({
    type: 'call',
    call: `toolu_${steps}_${index}`,
    name: `tool_${index % 10}`,
    arguments: `{"path":"src/${steps}/${index}.ts"}`,
  }));
  const parts: readonly AnswerPart[] = [{ type: 'text', text: madeText(120, steps) }, ...calls];
  return { parts, stop: calls.length === 0 ? 'end' : 'calls', truncated: 'no', usage };
}

/** Flushed before a tool runs, as its effect could be seen outside. */
async function runTools(steady: Steady, answer: Answer): Promise<void> {
  const calls = answer.parts.flatMap((part) => (part.type === 'call' ? [part] : []));
  const { session, options } = steady;
  const started = calls.map(({ call, name }): EventOf<'tool.started'> => ({
    kind: 'tool.started',
    at: tick(steady),
    data: { call: callId(call), name, effect: 'read' },
  }));
  await commit(session, started);
  await session.writer.sync();
  for (const { call } of calls) {
    const parts = [{ type: 'text', text: madeText(options.bytes, steady.steps) }] as const;
    await commit(session, [{ kind: 'tool.returned', at: tick(steady), data: { call: callId(call), parts } }]);
  }
}

function prompt(steady: Steady): EventOf<'prompt.given'> {
  const parts = [{ type: 'text', text: madeText(steady.options.bytes, steady.steps) }] as const;
  return { kind: 'prompt.given', at: tick(steady), data: { parts, presenter: 'bench' } };
}

async function compact(steady: Steady): Promise<void> {
  const { session } = steady;
  const range = { from: position(0), to: position(session.state.length - 1) };
  const checkpoint = madeText(2_000, steady.steps);
  const data = { range, strategy: 'deterministic', trigger: 'bench', checkpoint, limitations: [] } as const;
  await commit(session, [{ kind: 'history.compacted', at: tick(steady), data }]);
}

function tick(steady: Steady): Timestamp {
  steady.clock += 1_000;
  return timestamp(new Date(steady.clock).toISOString());
}
