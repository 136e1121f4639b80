// Provider that answers at once with answers made by a benchmark. Its bodies are digested but not written, so that only
// the agent is measured.

import type { Answer, BodyWriter, Encoder, Provider } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';

import type { Stopwatch } from './stopwatch.ts';

const NOTHING = new Uint8Array();

/**
 * Creates a provider that returns the answers of `answer`, each in one part. The time of joining and digesting is added
 * to `join`, if it is passed.
 */
export function madeProvider(answer: () => Answer, join?: Stopwatch): Provider {
  return {
    name: 'anthropic',
    encoder: bodilessEncoder(join),
    async *send() {
      yield { type: 'finished', answer: answer() };
    },
  };
}

/** Returns an encoder whose bodies are empty and whose digests are correct. */
function bodilessEncoder(join: Stopwatch | undefined): Encoder {
  return {
    ...anthropicEncoder,
    join(front, newHash) {
      const writer = anthropicEncoder.join(front, newHash);
      const digest: BodyWriter['digest'] = (...given) =>
        join === undefined ? writer.digest(...given) : join.run(() => writer.digest(...given));
      return { digest, write: (...given) => ({ body: NOTHING, digest: digest(...given) }) };
    },
  };
}
