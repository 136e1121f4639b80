// What stands in a file before it is changed: its digest, its state, and its bytes where they are not too many.

import type { Digest } from '@tidemark/log';
import { digest } from '@tidemark/log';
import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { Place } from '../confine/confine.ts';
import { fileChunks } from '../confine/file-chunks.ts';
import { openFile } from '../confine/open-file.ts';

/** A file as it is. */
export interface CurrentFile {
  readonly stats: BigIntStats;
  readonly digest: Digest;
  /** `undefined` above the bound that was given. */
  readonly bytes: Buffer | undefined;
}

/** `undefined` when there is no such file. @throws WorkspaceError as `openFile` does. */
export async function currentFile(
  place: Place,
  mostBytes: number,
  signal: AbortSignal,
): Promise<CurrentFile | undefined> {
  await using file = await openFile(place);
  if (file === undefined) return undefined;
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  const keeps = file.stats.size <= BigInt(mostBytes);
  for await (const chunk of fileChunks(file.handle, signal)) {
    hash.update(chunk);
    if (keeps) kept.push(Buffer.from(chunk));
  }
  return { stats: file.stats, digest: digest(hash.digest('hex')), bytes: keeps ? Buffer.concat(kept) : undefined };
}
