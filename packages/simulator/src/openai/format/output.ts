// Turns a scripted answer into output items of the Responses API, with their own ids and encrypted reasoning.

import { defined } from '@tidemark/core';
import { makeAnswer } from '../../core/answer.ts';
import type { AnswerBlock, OutputRoom, PlannedAnswer, ScriptedBlock, SimulatedAnswer } from '../../core/answer.ts';
import { digestOf } from '../../core/digests.ts';
import { idOf } from '../../core/ids.ts';
import { textOf } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';

/**
 * Builds the answer that is sent from a scripted answer, with call ids in OpenAI's form. The ids are derived from
 * `seed`, so the same seed gives the same answer.
 */
export function makeOutput(scripted: PlannedAnswer, room: OutputRoom, seed: string): SimulatedAnswer {
  const { blocks, calls, ...rest } = scripted;
  const named = {
    ...rest,
    ...defined({
      blocks: blocks?.map((block, i) => withCallId(block, `${seed}.${i}`)),
      calls: calls?.map((call, i) => ({ id: idOf('call_', `${seed}.call.${i}`), ...call })),
    }),
  };
  return makeAnswer(named, room, seed);
}

function withCallId(block: ScriptedBlock, seed: string): ScriptedBlock {
  return block.type === 'tool_use' ? { ...block, id: block.id ?? idOf('call_', seed) } : block;
}

/** Parts of the reasoning that the response includes (provider-facts §2.4). */
export interface ReasoningShown {
  /** True if the request asks for summaries of the reasoning. */
  readonly summary: boolean;
  /** True if the request asks for the encrypted content of the reasoning. */
  readonly sealed: boolean;
}

/** Output item and its encrypted reasoning. */
export interface OutputItem {
  /** Item in the form it has in a finished response. */
  readonly item: WireObject;
  /**
   * Value of `encrypted_content`, even if the response does not contain this field. Empty for an item that is not
   * reasoning.
   */
  readonly seal: string;
}

/** Returns an answer as output items. If the answer was cut, its last item is incomplete. */
export function itemsOf(answer: SimulatedAnswer, seed: string, shown: ReasoningShown): readonly OutputItem[] {
  const cut = isCut(answer);
  return answer.blocks.map((block, i) => {
    const status = cut && i === answer.blocks.length - 1 ? 'incomplete' : 'completed';
    return itemOf(block, `${seed}.${i}`, { ...shown, status, refused: answer.stop === 'refusal' });
  });
}

/** Returns the service tier that a response reports: the requested one, or `default` for `auto`. */
export function servedTier({ service_tier: tier }: WireObject): string {
  return textOf(tier) === 'auto' ? 'default' : textOf(tier) || 'default';
}

/** True if an answer was cut because it reached a limit. */
export function isCut(answer: SimulatedAnswer): boolean {
  return answer.stop === 'max_tokens' || answer.stop === 'model_context_window_exceeded';
}

interface Telling extends ReasoningShown {
  readonly status: 'completed' | 'incomplete';
  readonly refused: boolean;
}

function itemOf(block: AnswerBlock, seed: string, telling: Telling): OutputItem {
  const { status } = telling;
  switch (block.type) {
    case 'text':
      return { item: messageItem(block.text, seed, telling), seal: '' };
    case 'thinking':
      return reasoningItem(telling.summary ? block.thinking : '', sealOf(block.signature, seed), seed, telling);
    case 'redacted_thinking':
      return reasoningItem('', sealOf(block.data, seed), seed, telling);
    case 'tool_use':
      return {
        item: {
          id: idOf('fc_', seed),
          type: 'function_call',
          status,
          arguments: block.arguments,
          call_id: block.id,
          name: block.name,
        },
        seal: '',
      };
  }
}

function messageItem(text: string, seed: string, { status, refused }: Telling): WireObject {
  const part = refused
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', annotations: [], logprobs: [], text };
  return { id: idOf('msg_', seed), type: 'message', status, content: [part], role: 'assistant' };
}

function reasoningItem(summary: string, seal: string, seed: string, { sealed }: Telling): OutputItem {
  const item = {
    id: idOf('rs_', seed),
    type: 'reasoning',
    ...(sealed ? { encrypted_content: seal } : {}),
    summary: summary === '' ? [] : [{ type: 'summary_text', text: summary }],
  };
  return { item, seal };
}

/** A simulated value starts with the same characters as a real one. A recorded value stays unchanged. */
function sealOf(signature: string, seed: string): string {
  return signature.startsWith('Sim') ? `gAAAAAB${plain(digestOf(`${seed}|${signature}`))}${signature}` : signature;
}

function plain(digest: string): string {
  return digest.replaceAll('-', 'A').replaceAll('_', 'B');
}
