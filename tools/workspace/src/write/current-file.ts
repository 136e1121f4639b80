// Reads the state of a file before it is changed: its digest, its stats and its text form. Also reads its bytes, if
// there are not too many.

import type { Digest } from '@tidemark/log';
import { digest } from '@tidemark/log';
import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { WorkspacePlace } from '../confine/confine.ts';
import { fileChunks } from '../confine/file-chunks.ts';
import { openFile } from '../confine/open-file.ts';
import { WorkspaceError } from '../workspace-error.ts';
import type { TextForm } from './text-form.ts';
import { createFormReader } from './text-form.ts';

/** Current state of a file. */
export interface CurrentFile {
  readonly stats: BigIntStats;
  readonly digest: Digest;
  /** Content of the file. `undefined` if the file is larger than the caller's limit. */
  readonly bytes: Buffer | undefined;
  /** Line ends and byte order mark of the file. Known for a file of any size. */
  readonly form: TextForm;
}

/** Maximum size in bytes of a file that is read completely. It would take minutes to compute the digest of 20 GB. */
export const MAX_WHOLE: number = 256 * 1024 * 1024;

/**
 * Returns the current state of a file. If the file does not exist, returns `undefined`.
 *
 * @throws WorkspaceError with the codes of `openFile`, or `workspace/too-large` for a file above 256 MiB.
 */
export async function currentFile(
  place: WorkspacePlace,
  mostBytes: number,
  signal: AbortSignal,
): Promise<CurrentFile | undefined> {
  await using file = await openFile(place);
  if (file === undefined) return undefined;
  if (file.stats.size > BigInt(MAX_WHOLE)) throw tooLarge(place, file.stats.size);
  const hash = createHash('sha256');
  const form = createFormReader();
  const kept: Buffer[] = [];
  const keeps = file.stats.size <= BigInt(mostBytes);
  for await (const chunk of fileChunks(file.handle, signal)) {
    hash.update(chunk);
    form.add(chunk);
    if (keeps) kept.push(Buffer.from(chunk));
  }
  const bytes = keeps ? Buffer.concat(kept) : undefined;
  return { stats: file.stats, digest: digest(hash.digest('hex')), bytes, form: form.form() };
}

function tooLarge({ shown }: WorkspacePlace, size: bigint): WorkspaceError {
  const message = `${shown} has ${size} bytes, and the maximum for a change is ${MAX_WHOLE}. Nothing was written. Use \`bash\`.`;
  return new WorkspaceError('workspace/too-large', message, { path: shown });
}
