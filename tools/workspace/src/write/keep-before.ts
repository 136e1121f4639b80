// Keeps the content of a file before a tool changes it, so that a person can restore the file.

import type { ToolContext } from '@tidemark/agent';
import type { Digest } from '@tidemark/log';
import type { CurrentFile } from './current-file.ts';

/**
 * Keeps the current bytes of a file, and returns its state for `FileTouch.before`. Call it directly before the change.
 * A file that is too large is not kept: a notice says so, and its digest is returned.
 *
 * @param shown Path of the file for the notice.
 */
export async function keepBefore(
  shown: string,
  current: Pick<CurrentFile, 'digest' | 'bytes'> | undefined,
  { undo, notice }: Pick<ToolContext, 'undo' | 'notice'>,
): Promise<Digest | 'absent'> {
  if (current === undefined) return 'absent';
  const { bytes, digest } = current;
  if (undo === undefined) return digest;
  if (bytes !== undefined && bytes.length <= undo.largest) await undo.keep(bytes);
  else
    notice({
      code: 'undo/not-kept',
      message: `${shown} has more than ${undo.largest} bytes, so its content before the change is not kept`,
      next: 'The change is made, and the file cannot be restored with rewind.',
    });
  return digest;
}
