// Turns a scripted answer into the answer that is sent: adds ids and signatures, counts tokens, and cuts the answer at
// a limit.

import { countText } from './tokens.ts';
import { digestOf } from './digests.ts';
import type { WireObject } from './wire.ts';
import { isObject } from './wire.ts';

/** Reason why an answer stops, with the names that the wire uses (provider-facts §1.9). */
export type WireStopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded';

/**
 * Call of an answer. `arguments` is either raw JSON text, which is streamed unchanged, or a value that is serialized as
 * JSON.
 */
export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments: string | { readonly [key: string]: unknown };
}

/** Block of a scripted answer. Use blocks when the order matters or when a recording gives it. */
export type ScriptedBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature?: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | ({ readonly type: 'tool_use' } & ScriptedCall);

/**
 * Content of a scripted answer. The order is thinking, text, calls. `blocks` replaces these fields and allows any
 * order.
 */
export interface PlannedAnswer {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly blocks?: readonly ScriptedBlock[];
  /** Stop reason. Default: `tool_use` if the answer has calls, else `end_turn`. */
  readonly stop?: WireStopReason;
  /** Recorded number of output tokens. If set, the answer is never cut, because a recording keeps its length. */
  readonly outputTokens?: number;
}

/** Block of an answer that is sent. `arguments` is JSON text, because it is streamed as text. */
export type AnswerBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly arguments: string };

/** Answer that is ready to be sent. */
export interface SimulatedAnswer {
  readonly blocks: readonly AnswerBlock[];
  readonly stop: WireStopReason;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
}

/** Maximum number of tokens of an answer, and the stop reason when the answer reaches it. */
export interface OutputRoom {
  readonly tokens: number;
  readonly stop: 'max_tokens' | 'model_context_window_exceeded';
}

/** Default answer, used if no answer is scripted. */
export const DEFAULT_ANSWER: PlannedAnswer = {
  text: 'This is the simulator. Without a scenario, every answer is this text.',
};

/** Empty answer of a pre-warming call (provider-facts §1.1). */
export const NO_ANSWER: SimulatedAnswer = { blocks: [], stop: 'max_tokens', outputTokens: 0, thinkingTokens: 0 };

/**
 * Builds an answer from a script. The ids and signatures are derived from `seed`, so the same seed gives the same
 * answer.
 */
export function makeAnswer(scripted: PlannedAnswer, room: OutputRoom, seed: string): SimulatedAnswer {
  const whole = blocksOf(scripted).map((block, i) => resolve(block, `${seed}.${i}`));
  const stop = scripted.stop ?? (whole.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn');
  if (scripted.outputTokens !== undefined) return measureAnswer(whole, stop, scripted.outputTokens);
  const tokens = Math.max(1, sum(whole.map(tokensOf)));
  if (tokens <= room.tokens) return measureAnswer(whole, stop, tokens);
  return measureAnswer(cut(whole, room.tokens), room.stop, room.tokens);
}

/** Returns a block in the form it has in a finished message, which is also the form in which a client sends it back. */
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

/** Returns a signature that is longer than one digest, like real signatures. */
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

/**
 * Keeps the part of an answer that fits: whole blocks, then a part of the next block. A call can be cut inside its
 * arguments, as on the real service.
 */
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

/**
 * Parses the arguments of a call. Arguments that were cut are not valid JSON, so the finished message shows an empty
 * object.
 */
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
