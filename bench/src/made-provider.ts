// A provider that answers at once with what a benchmark made, and a body that is digested but not written: what is measured
// is then the agent.

import type { Answer, BodyWriter, Encoder, Provider } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';

import type { Stopwatch } from './stopwatch.ts';

const NOTHING = new Uint8Array();

/** Gives the answers of `answer`, each whole. Joining and digesting adds to `join`, where there is one. */
export function madeProvider(answer: () => Answer, join?: Stopwatch): Provider {
  return {
    name: 'anthropic',
    encoder: bodilessEncoder(join),
    async *send() {
      yield { type: 'finished', answer: answer() };
    },
  };
}

/** Bodies are empty, their digests true. */
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
