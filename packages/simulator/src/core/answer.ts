// Turns a scripted answer into the answer that is sent: adds ids and signatures, counts tokens, and cuts the answer at
// the output limit.

import { countText, firstTokens } from './tokens.ts';
import { digestOf } from './digests.ts';
import { idOf } from './ids.ts';
import type { WireObject } from './wire.ts';
import { isObject } from './wire.ts';

/** Reason why an answer stops, with the names that the provider's response uses (provider-facts §1.9). */
export type WireStopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded';

/**
 * Tool call of a scripted answer. `arguments` is raw JSON text or a value. Raw text is streamed unchanged. A value is
 * converted to JSON. If `id` is absent, it is generated.
 */
export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments: string | { readonly [key: string]: unknown };
}

/**
 * Block of a scripted answer. Use blocks if the order of the content matters, or if the content comes from a recording.
 */
export type ScriptedBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature?: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | ({ readonly type: 'tool_use' } & ScriptedCall);

/**
 * Content of a scripted answer. The order is thinking, text, calls. `blocks` replaces these three fields and allows any
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

/** Answer that is ready to be sent, with its stop reason and its token counts. */
export interface SimulatedAnswer {
  readonly blocks: readonly AnswerBlock[];
  readonly stop: WireStopReason;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  /** Stop sequence at which the answer ends. Absent if the answer ends for another reason. */
  readonly stopSequence?: string;
}

/**
 * Limits of an answer: its maximum number of tokens, the stop reason at this maximum, and the texts at which the answer
 * ends.
 */
export interface OutputRoom {
  readonly tokens: number;
  readonly stop: 'max_tokens' | 'model_context_window_exceeded';
  readonly stopSequences: readonly string[];
}

/** Answer that is sent if no answer is scripted. */
export const DEFAULT_ANSWER: PlannedAnswer = {
  text: 'This is the simulator. Without a scenario, every answer is this text.',
};

/** Empty answer of a pre-warming call (provider-facts §1.1). */
export const NO_ANSWER: SimulatedAnswer = { blocks: [], stop: 'max_tokens', outputTokens: 0, thinkingTokens: 0 };

/**
 * Builds the answer that is sent from a scripted answer. Missing ids and signatures are derived from `seed`. So the
 * same seed gives the same answer. If the answer is longer than `room` and `outputTokens` is not set, the answer is
 * cut.
 */
export function makeAnswer(scripted: PlannedAnswer, room: OutputRoom, seed: string): SimulatedAnswer {
  const whole = blocksOf(scripted).map((block, i) => resolve(block, `${seed}.${i}`));
  const stop = scripted.stop ?? (whole.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn');
  if (scripted.outputTokens !== undefined) return measureAnswer(whole, stop, scripted.outputTokens);
  const { blocks, sequence } = stopAt(whole, room.stopSequences);
  const tokens = Math.max(1, sum(blocks.map(tokensOf)));
  if (tokens > room.tokens) return measureAnswer(cut(blocks, room.tokens), room.stop, room.tokens);
  if (sequence === undefined) return measureAnswer(blocks, stop, tokens);
  return { ...measureAnswer(blocks, 'stop_sequence', tokens), stopSequence: sequence };
}

/**
 * Ends an answer before the first stop sequence in its text, like the service. Thinking and calls are not searched. An
 * empty text block is dropped.
 */
function stopAt(
  blocks: readonly AnswerBlock[],
  sequences: readonly string[],
): { readonly blocks: readonly AnswerBlock[]; readonly sequence: string | undefined } {
  for (const [index, block] of blocks.entries()) {
    const { text } = block.type === 'text' ? block : { text: '' };
    const found = sequences.filter((sequence) => sequence !== '' && text.includes(sequence));
    const [sequence] = found.toSorted((a, b) => text.indexOf(a) - text.indexOf(b));
    if (sequence === undefined) continue;
    const shortened = text.slice(0, text.indexOf(sequence));
    const last = shortened === '' ? [] : [{ type: 'text' as const, text: shortened }];
    return { blocks: [...blocks.slice(0, index), ...last], sequence };
  }
  return { blocks, sequence: undefined };
}

/**
 * Returns a block in the form of a finished message. In this form the arguments of a call are parsed JSON. A client
 * sends the block back in the same form.
 */
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
        id: block.id ?? idOf('toolu_', seed),
        name: block.name,
        arguments: typeof block.arguments === 'string' ? block.arguments : JSON.stringify(block.arguments),
      };
  }
}

/** Joins two digests, because a real signature is longer than one digest. */
function signatureOf(seed: string): string {
  return `Sim${digestOf(`1${seed}`)}${digestOf(`2${seed}`)}==`;
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
 * Returns whole blocks while they fit, then a part of the next block. A call can be cut inside its arguments, as on the
 * real service.
 */
function cut(blocks: readonly AnswerBlock[], room: number): readonly AnswerBlock[] {
  const keptBlocks: AnswerBlock[] = [];
  let left = room;
  for (const block of blocks) {
    const tokens = tokensOf(block);
    if (tokens > left)
      return left === 0 ? keptBlocks : [...keptBlocks, shorten(block, firstTokens(bodyOf(block), left))];
    keptBlocks.push(block);
    left -= tokens;
  }
  return keptBlocks;
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
 * Returns the parsed arguments. Returns an empty object if the arguments were cut, because cut arguments are not valid
 * JSON. Also returns an empty object if the JSON is not an object.
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
