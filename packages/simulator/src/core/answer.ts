// An answer as a script gives it, and as it goes out: blocks with ids and seals, tokens counted, cut where a limit says so.

import { countText } from './tokens.ts';
import { digestOf } from './digests.ts';
import type { WireObject } from './wire.ts';
import { isObject } from './wire.ts';

/** Why an answer stops, in the wire's words (§1.9). */
export type WireStopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded';

/** One call of an answer. `arguments` is raw JSON text, streamed as it stands, or a value that is written as JSON. */
export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments: string | { readonly [key: string]: unknown };
}

/** One block of an answer, where the order matters or a recording gives it. */
export type ScriptedBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature?: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | ({ readonly type: 'tool_use' } & ScriptedCall);

/** What to answer. Thinking comes first, then text, then calls; `blocks` instead gives any order. */
export interface PlannedAnswer {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly blocks?: readonly ScriptedBlock[];
  /** By default `tool_use` with calls, else `end_turn`. */
  readonly stop?: WireStopReason;
  /** Recorded output tokens. With them nothing is cut: a recording is as long as it was. */
  readonly outputTokens?: number;
}

/** One block as it goes out. `arguments` stays text, as it is streamed. */
export type AnswerBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly arguments: string };

/** An answer ready to go out. */
export interface SimulatedAnswer {
  readonly blocks: readonly AnswerBlock[];
  readonly stop: WireStopReason;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
}

/** Room for an answer: how many tokens, and what it says when they run out. */
export interface OutputRoom {
  readonly tokens: number;
  readonly stop: 'max_tokens' | 'model_context_window_exceeded';
}

/** The answer where nobody scripted one. */
export const DEFAULT_ANSWER: PlannedAnswer = {
  text: 'This is the simulator: no scenario was given, so this is all it says.',
};

/** Nothing, as pre-warming gives it (§1.1). */
export const NO_ANSWER: SimulatedAnswer = { blocks: [], stop: 'max_tokens', outputTokens: 0, thinkingTokens: 0 };

/** Makes an answer of a script. `seed` makes ids and seals: the same seed, the same answer. */
export function makeAnswer(scripted: PlannedAnswer, room: OutputRoom, seed: string): SimulatedAnswer {
  const whole = blocksOf(scripted).map((block, i) => resolve(block, `${seed}.${i}`));
  const stop = scripted.stop ?? (whole.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn');
  if (scripted.outputTokens !== undefined) return measureAnswer(whole, stop, scripted.outputTokens);
  const tokens = Math.max(1, sum(whole.map(tokensOf)));
  if (tokens <= room.tokens) return measureAnswer(whole, stop, tokens);
  return measureAnswer(cut(whole, room.tokens), room.stop, room.tokens);
}

/** A block as it stands in a finished message, and as a client sends it back. */
export function contentOf(block: AnswerBlock): WireObject {
  if (block.type !== 'tool_use') return { ...block };
  return { type: 'tool_use', id: block.id, name: block.name, input: parseArguments(block.arguments) };
}

function blocksOf(scripted: PlannedAnswer): readonly ScriptedBlock[] {
  if (scripted.blocks !== undefined) return scripted.blocks;
  const { thinking, text, calls = [] } = scripted;
  return [
    ...(thinking === undefined ? [] : [{ type: 'thinking' as const, thinking }]),
    ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
    ...calls.map((call) => ({ type: 'tool_use' as const, ...call })),
  ];
}

function resolve(block: ScriptedBlock, seed: string): AnswerBlock {
  switch (block.type) {
    case 'text':
    case 'redacted_thinking':
      return block;
    case 'thinking':
      return { ...block, signature: block.signature ?? signatureOf(`${seed}:${block.thinking}`) };
    case 'tool_use':
      return {
        type: 'tool_use',
        id: block.id ?? `toolu_${plain(digestOf(seed)).slice(0, 24)}`,
        name: block.name,
        arguments: typeof block.arguments === 'string' ? block.arguments : JSON.stringify(block.arguments),
      };
  }
}

/** Longer than one digest, as the real ones are. */
function signatureOf(seed: string): string {
  return `Sim${digestOf(`1${seed}`)}${digestOf(`2${seed}`)}==`;
}

function plain(digest: string): string {
  return digest.replaceAll('-', 'A').replaceAll('_', 'B');
}

function measureAnswer(blocks: readonly AnswerBlock[], stop: WireStopReason, outputTokens: number): SimulatedAnswer {
  const thinking = sum(blocks.filter((block) => block.type === 'thinking').map(tokensOf));
  return { blocks, stop, outputTokens, thinkingTokens: Math.min(thinking, outputTokens) };
}

function tokensOf(block: AnswerBlock): number {
  return countText(bodyOf(block));
}

function bodyOf(block: AnswerBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'thinking':
      return block.thinking;
    case 'redacted_thinking':
      return block.data;
    case 'tool_use':
      return block.arguments;
  }
}

/** Keeps what fits: whole blocks, then a part of the next. A call can be cut inside its arguments, as the real ones are. */
function cut(blocks: readonly AnswerBlock[], room: number): readonly AnswerBlock[] {
  const kept: AnswerBlock[] = [];
  let left = room;
  for (const block of blocks) {
    const tokens = tokensOf(block);
    if (tokens > left) return left === 0 ? kept : [...kept, shorten(block, bodyOf(block).slice(0, left * 4))];
    kept.push(block);
    left -= tokens;
  }
  return kept;
}

function shorten(block: AnswerBlock, body: string): AnswerBlock {
  switch (block.type) {
    case 'text':
      return { ...block, text: body };
    case 'thinking':
      return { ...block, thinking: body };
    case 'redacted_thinking':
      return block;
    case 'tool_use':
      return { ...block, arguments: body };
  }
}

/** A call cut in its arguments has no value yet: the finished message shows an empty one. */
function parseArguments(text: string): WireObject {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, next) => total + next, 0);
}
