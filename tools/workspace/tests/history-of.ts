// Creates the log of a session for a tool. The log contains exactly the given records.

import type { ToolHistory } from '@tidemark/agent';
import type { Digest, Recorded } from '@tidemark/log';

/** Log of a session without records. */
export const NO_HISTORY: ToolHistory = historyOf([]);

/** Returns the log of a session with these records. `artifact` returns the bytes of its images. */
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
