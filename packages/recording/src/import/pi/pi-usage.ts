// Usage and stop reasons as pi writes them.

import type { Json, StopReason, Usage } from '@tidemark/log';
import { countOf, objectOf } from '../file/fields.ts';

/** Tokens in disjoint buckets; nothing where pi wrote zeros, which is how it says that it knows none. */
export function piUsage(value: Json | undefined): Usage | undefined {
  const { input, output, cacheRead, cacheWrite } = objectOf(value);
  const fresh = countOf(input);
  const read = countOf(cacheRead);
  const written = countOf(cacheWrite);
  const answer = countOf(output);
  if ([fresh, read, written, answer].every((count) => count === undefined || count === 0)) return undefined;
  return {
    ...(fresh === undefined ? {} : { fresh }),
    ...(read === undefined ? {} : { read }),
    ...(written === undefined ? {} : { writes: written === 0 ? [] : [{ ttl: '5m', tokens: written }] }),
    ...(answer === undefined ? {} : { answer }),
  };
}

const STOPS: ReadonlyMap<Json | undefined, StopReason> = new Map([
  ['stop', 'end'],
  ['toolUse', 'calls'],
  ['length', 'length'],
]);

/** What pi's word for the end of an answer means. */
export function piStop(word: Json | undefined): StopReason {
  return STOPS.get(word) ?? 'other';
}
