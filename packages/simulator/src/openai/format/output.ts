// An answer of a script as output items of this provider, with ids and seals of its own.

import { defined } from '@tidemark/core';
import { makeAnswer } from '../../core/answer.ts';
import type { AnswerBlock, OutputRoom, PlannedAnswer, ScriptedBlock, SimulatedAnswer } from '../../core/answer.ts';
import { digestOf } from '../../core/digests.ts';
import type { WireObject } from '../../core/wire.ts';

/** Makes an answer of a script, with call ids and seals as this provider gives them. The same seed, the same answer. */
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

/** What a response tells of its reasoning (§2.4). */
export interface ReasoningShown {
  /** Whether summaries were asked for. */
  readonly summary: boolean;
  /** Whether sealed content was asked for. */
  readonly sealed: boolean;
}

/** One output item, and what it needs to be sealed. */
export interface OutputItem {
  /** As it stands in a finished response. */
  readonly item: WireObject;
  /** `encrypted_content`, told or not; empty for what is no reasoning. */
  readonly seal: string;
}

/** Writes an answer as output items. A cut answer's last item is incomplete. */
export function itemsOf(answer: SimulatedAnswer, seed: string, shown: ReasoningShown): readonly OutputItem[] {
  const cut = isCut(answer);
  return answer.blocks.map((block, i) => {
    const status = cut && i === answer.blocks.length - 1 ? 'incomplete' : 'completed';
    return itemOf(block, `${seed}.${i}`, { ...shown, status, refused: answer.stop === 'refusal' });
  });
}

/** Whether an answer ended for want of room. */
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

/** Recorded seals stay as they are; ours begin as the real ones do. */
function sealOf(signature: string, seed: string): string {
  return signature.startsWith('Sim') ? `gAAAAAB${plain(digestOf(`${seed}|${signature}`))}${signature}` : signature;
}

/** An id of the family with this beginning. */
export function idOf(begin: string, seed: string): string {
  return `${begin}${plain(digestOf(`${begin}${seed}`)).slice(0, 24)}`;
}

function plain(digest: string): string {
  return digest.replaceAll('-', 'A').replaceAll('_', 'B');
}
