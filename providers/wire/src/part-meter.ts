// Counts what an answer says, whichever way it arrived, and refuses what no output limit explains.

import type { AnswerPart, StreamPart } from '@tidemark/model';
import type { AnswerLimits } from './answer-limits.ts';
import { oversized, requireFewParts } from './answer-limits.ts';
import type { Service } from './service.ts';

/** Passes the parts of one answer on. @throws ProviderError `provider/oversized` before the first part beyond a limit. */
export type PartMeter = (parts: readonly StreamPart[]) => readonly StreamPart[];

/** Begins to count one answer. What was streamed and what is whole are counted apart, since most parts come both ways. */
export function createPartMeter(service: Service, { characters }: AnswerLimits): PartMeter {
  let streamed = 0;
  let whole = 0;
  const count = (part: StreamPart): void => {
    if (part.type === 'part') whole += sizeOf(part.part);
    else if (part.type !== 'finished') streamed += growthOf(part);
    if (Math.max(streamed, whole) > characters)
      throw oversized(service, `an answer of more than ${characters} characters`);
    if ('index' in part) requireFewParts(service, part.index + 1);
  };
  return (parts) => {
    for (const part of parts) count(part);
    return parts;
  };
}

function growthOf(part: Exclude<StreamPart, { readonly type: 'part' | 'finished' }>): number {
  switch (part.type) {
    case 'began':
      return (part.response?.length ?? 0) + (part.model?.length ?? 0);
    case 'text.delta':
    case 'reasoning.delta':
      return part.text.length;
    case 'call.began':
      return part.call.length + part.name.length;
    case 'call.delta':
      return part.arguments.length;
  }
}

function sizeOf(part: AnswerPart): number {
  switch (part.type) {
    case 'text':
      return part.text.length;
    case 'reasoning':
      return part.text.length + (part.opaque?.length ?? 0);
    case 'call':
      return part.call.length + part.name.length + part.arguments.length;
    case 'native':
      return part.text.length + part.item.length;
  }
}
