// Provider for tests of an agent. It sends each request to a server in the same process (`server.ts`), streams the
// answer piece by piece, and fails as the planned answer requests.

import type { VirtualTime } from '@tidemark/agent/contract';
import type { Answer, Block, Encoder, Outgoing, Provider, RefusedPlace, StreamPart } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import type { Fault } from '@tidemark/simulator';
import type { AgentAnswer, Failing } from './agent-commands.ts';
import type { Counters } from './content.ts';
import { blocksOf } from './content.ts';
import type { Saying, Server } from './server.ts';
import { isAnswered, newServer } from './server.ts';
import { digestOf } from './shown.ts';

/** Provider of each process of a session. All these providers share one server. */
export interface AgentProviders {
  readonly server: Server;
  /** Error messages of the server for refused requests that were not planned to fail. */
  readonly refused: string[];
  /** Abort signals of the open streams. */
  readonly streams: Set<AbortSignal>;
  /** Returns the provider for one process. */
  open(process: Caller): Provider;
}

interface Caller {
  readonly clock: VirtualTime;
  isAlive(): boolean;
  /** Resolves when streams that ignore their abort signal must end. */
  readonly released: Promise<void>;
  /** Returns the planned answer to a request body. With `undefined`, the model answers "Done.". */
  answerTo(body: string): AgentAnswer | undefined;
  readonly counters: Counters;
}

interface Streaming {
  readonly pace: number;
  readonly failing?: Failing;
}

/**
 * Returns providers with a new server. The server bills each block with the number of tokens that the engine estimates
 * for it.
 */
export function agentProviders(): AgentProviders {
  const blocks = new Map<string, readonly Block[]>();
  const encoder = remembering(anthropicEncoder, blocks);
  const providers: AgentProviders = {
    server: newServer('simulator'),
    refused: [],
    streams: new Set(),
    open: (caller) => ({
      name: 'anthropic',
      encoder,
      send: (outgoing) => send(providers, caller, blocks, outgoing),
    }),
  };
  return providers;
}

/**
 * Returns an encoder that works like the given one, and also stores the blocks of each body in `known`, by digest of
 * the body.
 */
function remembering(encoder: Encoder, known: Map<string, readonly Block[]>): Encoder {
  return {
    ...encoder,
    join(front, newHash) {
      const writer = encoder.join(front, newHash);
      return {
        digest: (...request) => writer.digest(...request),
        write(blocks, ...rest) {
          const written = writer.write(blocks, ...rest);
          known.set(written.digest, blocks);
          return written;
        },
      };
    },
  };
}

async function* send(
  providers: AgentProviders,
  caller: Caller,
  known: ReadonlyMap<string, readonly Block[]>,
  { body, betas, signal }: Outgoing,
): AsyncGenerator<StreamPart> {
  if (!caller.isAlive()) throw failure('stop', 'provider/aborted');
  const open = new AbortController();
  signal?.addEventListener('abort', () => open.abort(), { once: true });
  if (signal?.aborted === true) throw failure('stop', 'provider/aborted');
  providers.streams.add(open.signal);
  try {
    const answer = caller.answerTo(new TextDecoder().decode(body));
    const { failing, pace = 0 } = answer ?? {};
    const saying = sayingOf(caller.counters, answer);
    const blocks = known.get(digestOf(body)) ?? [];
    if (failing?.kind === 'no-key') throw failure('stop', 'provider/authentication');
    if (failing?.kind === 'rejects') throw rejection(blocks, failing.at);
    const at = caller.clock.now;
    const request = { body, betas, at, block: (index: number) => blocks[index], saying, fault: faultOf(failing) };
    const served = await providers.server.send(request);
    if (isAnswered(served)) yield* stream(caller, { pace, ...(failing && { failing }) }, served.answer, open.signal);
    else if (request.fault !== undefined) throw failure('retryable', 'provider/overloaded', served.retryAfter);
    else {
      providers.refused.push(served.message);
      throw failure('refused', 'provider/invalid');
    }
  } finally {
    providers.streams.delete(open.signal);
  }
}

function sayingOf(counters: Counters, answer: AgentAnswer | undefined): Saying {
  if (answer === undefined) return { blocks: [{ type: 'text', text: 'Done.' }], stop: 'end_turn' };
  const { said, cut, refuses } = answer;
  const calls = refuses ? [] : answer.calls;
  const last = calls.length - 1;
  const streamed = calls.map((call, index) =>
    cut && index === last ? { ...call, arguments: call.arguments.slice(0, -1) } : call,
  );
  const stop = refuses ? 'refusal' : cut ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn';
  return { blocks: blocksOf(counters, { said, calls: streamed }), stop };
}

/**
 * Returns the error of a provider that rejects one block of the messages. `at` is the place of this block as a share of
 * the messages, from 0 to 1. The error names the block by the indexes of its message and its content part.
 */
function rejection(blocks: readonly Block[], at: number): ProviderError {
  const first = blocks.findIndex(({ section }) => section === 'messages');
  const rejected = first + Math.floor(at * (blocks.length - 1 - first));
  const indexes = blocks.map((_, index) => index);
  const isAt = (place: RefusedPlace): boolean => anthropicEncoder.locate?.(place, blocks).includes(rejected) === true;
  const message = indexes.find((index) => isAt({ message: index })) ?? 0;
  const content = indexes.find((index) => isAt({ message, content: index })) ?? 0;
  const data = { provider: 'anthropic', refused: { message, content } };
  return new ProviderError('refused', 'provider/invalid', 'the story makes the provider reject a block', data);
}

function faultOf(failing: Failing | undefined): Fault | undefined {
  switch (failing?.kind) {
    case 'overloaded':
    case 'server-error':
      return { kind: failing.kind };
    case 'rate-limited':
      return { kind: 'rate-limited', retryAfter: 2 };
    default:
      return undefined;
  }
}

function failure(sort: ProviderError['class'], code: ProviderError['code'], after?: string): ProviderError {
  const data = { provider: 'anthropic', ...(after === undefined ? {} : { afterMs: Number(after) * 1_000 }) };
  return new ProviderError(sort, code, `the story makes the provider fail with ${code}`, data);
}

async function* stream(
  { released }: Caller,
  { pace, failing }: Streaming,
  answer: Answer,
  signal: AbortSignal,
): AsyncGenerator<StreamPart> {
  const pieces = piecesOf(answer);
  const end = failing !== undefined && 'at' in failing ? Math.floor(failing.at * (pieces.length - 1)) : pieces.length;
  for (const piece of pieces.slice(0, end)) {
    for (let turn = 0; turn < pace; turn += 1) await new Promise(setImmediate);
    yield piece;
  }
  switch (failing?.kind) {
    case 'cut':
      throw failure('retryable', 'provider/cut');
    case 'silent':
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      throw failure('stop', 'provider/aborted');
    case 'deaf':
      await released;
      return;
    default:
  }
}

/** Returns the pieces of a stream: the usage, then each part in two pieces and whole, then the whole answer. */
function piecesOf(answer: Answer): readonly StreamPart[] {
  const { answer: _said, reasoning: _thought, ...sent } = answer.usage;
  const parts = answer.parts.flatMap((part, index): readonly StreamPart[] => {
    const whole: StreamPart = { type: 'part', index, part };
    switch (part.type) {
      case 'text':
        return [...halves(part.text).map((text): StreamPart => ({ type: 'text.delta', index, text })), whole];
      case 'reasoning':
        return [...halves(part.text).map((text): StreamPart => ({ type: 'reasoning.delta', index, text })), whole];
      case 'call':
        return [
          { type: 'call.began', index, call: part.call, name: part.name },
          ...halves(part.arguments).map((text): StreamPart => ({ type: 'call.delta', index, arguments: text })),
          whole,
        ];
      case 'native':
        return [whole];
    }
  });
  return [{ type: 'began', usage: sent }, ...parts, { type: 'finished', answer }];
}

function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '');
}
