// Pins the digest of the fold of the corpus together with `FOLD_REVISION`, the revision that fold snapshots carry. If
// the fold changed without a new revision, sessions would continue from saved snapshots that differ from the new fold
// (L9).

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { FOLD_REVISION, readFold } from '@tidemark/agent';
import { openNdjsonStore } from '@tidemark/store-ndjson';

it('the fold of the corpus has the digest pinned for FOLD_REVISION (after a change of the fold, raise the revision and pin both again)', async () => {
  const log = openNdjsonStore({ home: join(import.meta.dirname, '0001', 'home') });
  const { sessions } = await log.sessions();
  const hash = createHash('sha256');
  for (const id of sessions.map(({ session }) => session).toSorted()) {
    const { fold } = await readFold(log, id);
    hash.update(inspect(fold, { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity, sorted: true }));
  }
  expect([FOLD_REVISION, hash.digest('hex').slice(0, 16)]).toEqual(['fold/12', '14c272f6ace3f817']);
});
