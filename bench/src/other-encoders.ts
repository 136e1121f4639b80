// Encoders whose bodies are digested but not made: for sessions whose requests nobody sends.

import type { BodyWriter, Encoder } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';

import type { Stopwatch } from './stopwatch.ts';

const NOTHING = new Uint8Array();

/** Bodies are empty, their digests true. Joining and digesting adds to `watch`, where there is one. */
export function bodilessEncoder(watch?: Stopwatch): Encoder {
  return {
    ...anthropicEncoder,
    join(front, newHash) {
      const writer = anthropicEncoder.join(front, newHash);
      const digest: BodyWriter['digest'] = (...given) =>
        watch === undefined ? writer.digest(...given) : watch.run(() => writer.digest(...given));
      return { digest, write: (...given) => ({ body: NOTHING, digest: digest(...given) }) };
    },
  };
}
