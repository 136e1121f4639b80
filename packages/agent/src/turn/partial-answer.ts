// What of an answer has arrived so far: whole parts, and those that were still growing when the stream ended.

import type { Answer, AnswerPart, StreamPart, Usage } from '@tidemark/model';

/** See the head of this file. */
export interface PartialAnswer {
  readonly parts: ReadonlyMap<number, AnswerPart>;
  /** What the provider told when it began; absent while it has not. */
  readonly usage: Usage | undefined;
  /** Set where the request did not go out: nothing can be billed. */
  readonly unsent?: true;
  readonly response?: string;
  readonly model?: string;
}

/** The answer to a request that did not go out. */
export const NOTHING_SENT: PartialAnswer = { parts: new Map(), usage: undefined, unsent: true };

/** A stream under way: `parts` grows in place, since a long answer comes in thousands of pieces. */
export interface GrowingAnswer {
  readonly take: (part: Exclude<StreamPart, { readonly type: 'finished' }>) => void;
  readonly arrived: () => PartialAnswer;
}

/** Begins to collect. */
export function collectAnswer(): GrowingAnswer {
  const parts = new Map<number, AnswerPart>();
  let began: Omit<PartialAnswer, 'parts'> = { usage: undefined };
  return {
    take(part) {
      if (part.type === 'began') {
        const { response, model, usage } = part;
        began = { usage, ...(response !== undefined && { response }), ...(model !== undefined && { model }) };
      } else parts.set(part.index, grown(parts.get(part.index), part));
    },
    arrived: () => ({ ...began, parts }),
  };
}

type AnswerGrowth = Exclude<StreamPart, { readonly type: 'began' | 'finished' }>;

function grown(before: AnswerPart | undefined, part: AnswerGrowth): AnswerPart {
  switch (part.type) {
    case 'part':
      return part.part;
    case 'text.delta':
      return { type: 'text', text: (before?.type === 'text' ? before.text : '') + part.text };
    case 'reasoning.delta':
      return { type: 'reasoning', text: (before?.type === 'reasoning' ? before.text : '') + part.text };
    case 'call.began':
      return { type: 'call', call: part.call, name: part.name, arguments: '' };
    case 'call.delta':
      return before?.type === 'call'
        ? { ...before, arguments: before.arguments + part.arguments }
        : { type: 'text', text: '' };
  }
}

/** As the answer that it would have become. */
export function asAnswer({
  parts,
  usage,
  unsent,
  response,
  model,
}: PartialAnswer): Omit<Answer, 'usage'> & Pick<PartialAnswer, 'usage' | 'unsent'> {
  const inOrder = [...parts].toSorted(([a], [b]) => a - b).map(([, part]) => part);
  return {
    parts: inOrder,
    stop: 'other',
    truncated: 'unknown',
    usage,
    ...(unsent !== undefined && { unsent }),
    ...(response !== undefined && { response }),
    ...(model !== undefined && { model }),
  };
}
