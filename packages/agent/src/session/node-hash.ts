// SHA-256 of node:crypto as the hash that the pure packages take.

import { createHash } from 'node:crypto';
import type { Hash as NodeHash } from 'node:crypto';
import type { Hash } from '@tidemark/model';

/** Begins a SHA-256. */
export function newHash(): Hash {
  return wrap(createHash('sha256'));
}

function wrap(hash: NodeHash): Hash {
  const wrapped: Hash = {
    update: (data) => {
      hash.update(data);
      return wrapped;
    },
    copy: () => wrap(hash.copy()),
    hex: () => hash.digest('hex'),
  };
  return wrapped;
}
