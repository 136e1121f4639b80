// Counts what an answer says, whichever way it arrived, and refuses what no output limit explains.

import type { AnswerPart, StreamPart } from '@tidemark/model';
import type { AnswerLimits } from './answer-limits.ts';
import { LONGEST_ID, LONGEST_NAME, oversized, requireFewParts } from './answer-limits.ts';
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
    if (part.type === 'call.began') requireShortCall(service, part);
    if (part.type === 'part' && part.part.type === 'call') requireShortCall(service, part.part);
  };
  return (parts) => {
    for (const part of parts) count(part);
    return parts;
  };
}

function requireShortCall(service: Service, { call, name }: { readonly call: string; readonly name: string }): void {
  if (call.length > LONGEST_ID) throw oversized(service, `a call with an id of more than ${LONGEST_ID} characters`);
  if (name.length > LONGEST_NAME)
    throw oversized(service, `a call of a tool with a name of more than ${LONGEST_NAME} characters`);
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
