// A provider over the simulator in this process: streams what it is told to say, piece by piece, and fails where it is told
// to. What it refused without being told is remembered.

import type { Answer, Block, Encoder, Outgoing, Provider, RefusedPlace, StreamPart } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { anthropicEncoder, decodeMessage } from '@tidemark/provider-anthropic';
import type { Fault, ScriptedBlock, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import type { Failing } from './live-commands.ts';
import type { VirtualTime } from '@tidemark/agent/contract';
import { digestOf } from './shown.ts';

/** What is said to one request. */
export interface LiveSaying {
  readonly blocks: readonly ScriptedBlock[];
  readonly stop: 'end_turn' | 'tool_use' | 'max_tokens' | 'refusal';
  readonly pace: number;
  readonly failing?: Failing;
}

/** A provider that outlives processes. */
export interface LiveServer {
  readonly simulator: Simulator;
  /** What it refused though nobody told it to. */
  readonly refused: string[];
  /** Signals of streams that are open. */
  readonly open: Set<AbortSignal>;
  /** As one process sees it. */
  providerOf(process: Process): Provider;
}

/** What a process gives to its provider. */
export interface Process {
  readonly clock: VirtualTime;
  isAlive(): boolean;
  readonly released: Promise<void>;
  /** What is said to this body. */
  saying(body: string): LiveSaying;
}

/** A server that has seen nothing. Sizes of blocks are those that the engine estimates, so that both sides count alike. */
export function liveServer(): LiveServer {
  const simulator = createSimulator({ clock: 'virtual' });
  const sizes = new Map<string, readonly Block[]>();
  const encoder = remembering(anthropicEncoder, sizes);
  const server: LiveServer = {
    simulator,
    refused: [],
    open: new Set(),
    providerOf: (process) => ({
      name: 'anthropic',
      encoder,
      send: (outgoing) => send(server, process, sizes, outgoing),
    }),
  };
  return server;
}

/** The encoder, with the blocks of each body kept by its digest. */
function remembering(encoder: Encoder, sizes: Map<string, readonly Block[]>): Encoder {
  return {
    ...encoder,
    join(front, newHash) {
      const writer = encoder.join(front, newHash);
      return {
        digest: (...request) => writer.digest(...request),
        write(blocks, ...rest) {
          const written = writer.write(blocks, ...rest);
          sizes.set(written.digest, blocks);
          return written;
        },
      };
    },
  };
}

async function* send(
  server: LiveServer,
  process: Process,
  sizes: ReadonlyMap<string, readonly Block[]>,
  { body, betas, signal }: Outgoing,
): AsyncGenerator<StreamPart> {
  if (!process.isAlive()) throw failure('stop', 'provider/aborted');
  const open = new AbortController();
  signal?.addEventListener('abort', () => open.abort(), { once: true });
  if (signal?.aborted === true) throw failure('stop', 'provider/aborted');
  server.open.add(open.signal);
  try {
    const saying = process.saying(new TextDecoder().decode(body));
    yield* stream(process, saying, take(server, process, saying, { body, betas, sizes }), open.signal);
  } finally {
    server.open.delete(open.signal);
  }
}

/** The simulator's answer. */
function take(
  { simulator, refused }: LiveServer,
  { clock }: Process,
  { blocks, stop, failing }: LiveSaying,
  { body, betas, sizes }: Pick<Outgoing, 'body' | 'betas'> & { readonly sizes: ReadonlyMap<string, readonly Block[]> },
): Answer {
  if (failing?.kind === 'no-key') throw failure('stop', 'provider/authentication');
  const known = sizes.get(digestOf(body));
  if (failing?.kind === 'rejects') throw rejection(known ?? [], failing.at);
  const fault = faultOf(failing);
  const said = simulator.messages({
    body,
    betas,
    at: clock.now,
    sizes: (index) => known?.[index]?.tokens,
    answer: { blocks, stop, outputTokens: 10 },
    ...(fault === undefined ? {} : { fault }),
  });
  if (said.outcome === 'answered') return asStreamed(decodeMessage(JSON.stringify(said.message)), blocks);
  if (fault !== undefined) throw failure('retryable', 'provider/overloaded', said.headers['retry-after']);
  refused.push(said.message);
  throw failure('refused', 'provider/invalid');
}

/** One block of the history is not taken: said as a place in the body. */
function rejection(blocks: readonly Block[], at: number): ProviderError {
  const first = blocks.findIndex(({ section }) => section === 'messages');
  const rejected = first + Math.floor(at * (blocks.length - 1 - first));
  const indexes = blocks.map((_, index) => index);
  const stands = (place: RefusedPlace): boolean => anthropicEncoder.locate?.(place, blocks).includes(rejected) === true;
  const message = indexes.find((index) => stands({ message: index })) ?? 0;
  const content = indexes.find((index) => stands({ message, content: index })) ?? 0;
  const data = { provider: 'anthropic', refused: { message, content } };
  return new ProviderError('refused', 'provider/invalid', 'told to reject a block', data);
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
  return new ProviderError(sort, code, `told to fail as ${code}`, data);
}

async function* stream(
  { released }: Process,
  { pace, failing }: LiveSaying,
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

/** As a stream brings it: numbers first, then each part in two pieces, then all of it. */
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

/** A finished message shows parsed arguments; a stream brings their raw text, which is what an agent keeps. */
function asStreamed(answer: Answer, blocks: readonly ScriptedBlock[]): Answer {
  const raw = blocks.flatMap((block) =>
    block.type === 'tool_use' && typeof block.arguments === 'string' ? [block.arguments] : [],
  );
  let next = 0;
  const parts = answer.parts.map((part) =>
    part.type === 'call' ? { ...part, arguments: raw[next++] ?? part.arguments } : part,
  );
  return { ...answer, parts };
}
