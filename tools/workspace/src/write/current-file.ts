// What stands in a file before it is changed: its digest, its state, and its bytes where they are not too many.

import type { Digest } from '@tidemark/log';
import { digest } from '@tidemark/log';
import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { WorkspacePlace } from '../confine/confine.ts';
import { fileChunks } from '../confine/file-chunks.ts';
import { openFile } from '../confine/open-file.ts';
import { WorkspaceError } from '../workspace-error.ts';

/** A file as it is. */
export interface CurrentFile {
  readonly stats: BigIntStats;
  readonly digest: Digest;
  /** `undefined` above the bound that was given. */
  readonly bytes: Buffer | undefined;
}

/** Above this a file is not read whole: hashing 20 GB takes minutes. In bytes. */
export const MOST_WHOLE: number = 256 * 1024 * 1024;

/** `undefined` when there is no such file. @throws WorkspaceError as `openFile` does; `workspace/too-large` above 256 MiB. */
export async function currentFile(
  place: WorkspacePlace,
  mostBytes: number,
  signal: AbortSignal,
): Promise<CurrentFile | undefined> {
  await using file = await openFile(place);
  if (file === undefined) return undefined;
  if (file.stats.size > BigInt(MOST_WHOLE)) throw tooLarge(place, file.stats.size);
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  const keeps = file.stats.size <= BigInt(mostBytes);
  for await (const chunk of fileChunks(file.handle, signal)) {
    hash.update(chunk);
    if (keeps) kept.push(Buffer.from(chunk));
  }
  return { stats: file.stats, digest: digest(hash.digest('hex')), bytes: keeps ? Buffer.concat(kept) : undefined };
}

function tooLarge({ shown }: WorkspacePlace, size: bigint): WorkspaceError {
  const message = `${shown} has ${size} bytes; files of at most ${MOST_WHOLE} bytes are changed. Nothing was written. Use \`bash\`.`;
  return new WorkspaceError('workspace/too-large', message, { path: shown });
}
