// Keeps the content of a file before a tool changes it, so that a person can restore the file.

import type { ToolContext } from '@tidemark/agent';
import type { Digest } from '@tidemark/log';
import type { CurrentFile } from './current-file.ts';

/**
 * Keeps the current bytes of a file, and returns its state for `FileTouch.before`. Call it directly before the change.
 * A file that is too large is not kept, but its digest is returned.
 */
export async function keepBefore(
  current: Pick<CurrentFile, 'digest' | 'bytes'> | undefined,
  { undo }: Pick<ToolContext, 'undo'>,
): Promise<Digest | 'absent'> {
  if (current === undefined) return 'absent';
  const { bytes, digest } = current;
  if (undo !== undefined && bytes !== undefined && bytes.length <= undo.largest) await undo.keep(bytes);
  return digest;
}
