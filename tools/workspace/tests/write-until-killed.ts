// Replaces a file repeatedly until this process is killed or has written `MAX_WRITES` times.

import { lstat } from 'node:fs/promises';
import { replaceFile } from '../src/write/replace-file.ts';

const MAX_WRITES = 500;
const BYTES = 8 * 1024 * 1024;

const [, , path = ''] = process.argv;
for (let write = 0; write < MAX_WRITES; write += 1) {
  const before = await lstat(path, { bigint: true });
  await replaceFile({ path, shown: path, inside: true }, Buffer.alloc(BYTES, write % 256), before);
}
