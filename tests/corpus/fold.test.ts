// What the corpus folds to, pinned beside the revision that snapshots of it carry: a fold that changed under the same name
// would go on from states that it never makes (L9).

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { FOLD_REVISION, readFold } from '@tidemark/agent';
import { openNdjsonStore } from '@tidemark/store-ndjson';

it('folds as its revision says: where this fails, raise FOLD_REVISION and pin both anew', async () => {
  const log = openNdjsonStore({ home: join(import.meta.dirname, '0001', 'home') });
  const { sessions } = await log.sessions();
  const hash = createHash('sha256');
  for (const id of sessions.map(({ session }) => session).toSorted()) {
    const { fold } = await readFold(log, id);
    hash.update(inspect(fold, { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity, sorted: true }));
  }
  expect([FOLD_REVISION, hash.digest('hex').slice(0, 16)]).toEqual(['fold/10', '89ebb5578a224c36']);
});
