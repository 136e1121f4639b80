// Compares two calls of another program: estimates the size of the texts that were recorded between them, and finds the
// difference between their recorded requests.

import type { ContentPart, Event, Recorded, RequestObserved } from '@tidemark/log';
import type { ObservedChange } from './judge-import.ts';

/**
 * Average number of characters per token. This estimate is used only if a request is shorter than the request before
 * it.
 */
const CHARACTERS = 4;

/** Returns the estimated tokens that a record adds to the next request. */
export function arrivedTokens(record: Event | Recorded): number {
  return Math.ceil(charactersOf(record) / CHARACTERS);
}

function charactersOf(record: Event | Recorded): number {
  switch (record.kind) {
    case 'prompt.given':
    case 'tool.returned':
    case 'tool.failed':
      return lengthOf(record.data.parts);
    case 'context.noted':
    case 'notification.received':
      return record.data.body?.length ?? 0;
    case 'answer.received':
    case 'answer.interrupted':
      return record.data.parts.reduce(
        (sum, part) =>
          sum + (part.type === 'call' ? part.arguments.length : part.type === 'native' ? 0 : part.text.length),
        0,
      );
    default:
      return 0;
  }
}

function lengthOf(parts: readonly ContentPart[]): number {
  return parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
}

/** Parts of a recorded request that its cached front depends on. */
export interface ObservedFront {
  readonly front: string | undefined;
  readonly model: string;
  readonly parameters: string;
}

/** Returns the parts of a recorded request that its cached front depends on. */
export function observedFront({ front, model, parameters }: RequestObserved): ObservedFront {
  const { thinking, output_config: output, tool_choice: choice } = parameters;
  return { front, model, parameters: JSON.stringify([thinking, output, choice]) };
}

/**
 * Returns the difference between the requests of two calls. Returns `undefined` if the second call has no own recorded
 * request. Also returns `undefined` if one of the requests does not contain the front.
 */
export function observedChange(
  before: ObservedFront | undefined,
  after: ObservedFront | undefined,
): ObservedChange | undefined {
  if (before === undefined || after === undefined || before === after) return undefined;
  if (before.model !== after.model) return 'model';
  if (before.front === undefined || after.front === undefined) return undefined;
  if (before.front !== after.front) return 'front-changed';
  return before.parameters === after.parameters ? 'none' : 'parameter';
}
