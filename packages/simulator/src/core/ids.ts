// Ids of messages, responses, calls and requests. All ids of a simulator are derived from one seed. If two simulators
// have different seeds, their ids differ.

import { randomUUID } from 'node:crypto';
import { digestOf } from './digests.ts';

/** Source of the ids of one simulator. */
export interface Ids {
  /** Returns the text from which all ids of the next answer are derived. No two answers get the same text. */
  nextAnswer(): string;
  /** Returns the id of the next request: `req_…`. */
  nextRequest(): string;
}

/** Creates a source of ids. Without `seed`, the seed is random. The same seed gives the same ids in the same order. */
export function createIds(seed: string = randomUUID()): Ids {
  let answers = 0;
  let requests = 0;
  return {
    nextAnswer: () => `${seed}/answer/${(answers += 1)}`,
    nextRequest: () => idOf('req_', `${seed}/request/${(requests += 1)}`),
  };
}

const LENGTH = 24;

/** Returns an id: `begin`, then 24 letters and digits. The same seed gives the same id. */
export function idOf(begin: string, seed: string): string {
  return `${begin}${digestOf(`${begin}${seed}`).replaceAll('-', 'A').replaceAll('_', 'B').slice(0, LENGTH)}`;
}
