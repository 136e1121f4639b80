// The log of a session as a tool is given it: these records, and no others.

import type { ToolHistory } from '@tidemark/agent';
import type { Digest, Recorded } from '@tidemark/log';

/** Of a session that holds nothing yet. */
export const NO_HISTORY: ToolHistory = historyOf([]);

/** Of a session that holds these. `artifact` gives the bytes of its images. */
export function historyOf(
  records: readonly Recorded[],
  artifact: (name: Digest) => AsyncIterable<Uint8Array> = none,
): ToolHistory {
  return {
    length: records.length,
    async *read(from, to) {
      yield* records.slice(from, to);
    },
    artifact,
  };
}

async function* none(): AsyncIterable<Uint8Array> {}
