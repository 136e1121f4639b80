// An image as a result, whole: the runtime makes it fit what a provider takes.

import type { ToolOutput } from '@tidemark/agent';
import { digest } from '@tidemark/log';
import { imageKind } from '@tidemark/model';
import { createHash } from 'node:crypto';
import type { WorkspacePlace } from '../confine/confine.ts';
import type { OpenFile } from '../confine/open-file.ts';
import { WorkspaceError } from '../workspace-error.ts';

/** Most bytes that are read: it stands in memory whole. */
export const IMAGE_BYTES: number = 64 * 1024 * 1024;

/** The whole image. @throws WorkspaceError `workspace/too-large`, `workspace/not-text` for a damaged one. */
export async function readImage(
  place: WorkspacePlace,
  { handle, stats }: OpenFile,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const { shown } = place;
  if (stats.size > BigInt(IMAGE_BYTES)) throw tooLarge(shown, `has ${stats.size} bytes; ${IMAGE_BYTES} can be read`);
  const data = Buffer.alloc(Number(stats.size));
  const { bytesRead } = await handle.read(data, 0, data.length, 0);
  signal.throwIfAborted();
  const bytes = data.subarray(0, bytesRead);
  const kind = imageKind(bytes);
  if (kind?.pixels === undefined)
    throw new WorkspaceError(
      'workspace/not-text',
      `${shown} begins like an image, but its header is damaged. Look at it with \`bash\`.`,
    );
  const { width, height } = kind.pixels;
  return {
    text: `[${shown}: ${kind.mediaType}, ${width} x ${height} pixels, ${bytesRead} bytes]`,
    images: [{ data: bytes, mediaType: kind.mediaType, width, height }],
    files: [{ path: place.path, digest: digest(createHash('sha256').update(bytes).digest('hex')), as: 'read' }],
  };
}

function tooLarge(shown: string, what: string): WorkspaceError {
  return new WorkspaceError(
    'workspace/too-large',
    `${shown} ${what}. Make a smaller copy with \`bash\` inside the workspace and read that.`,
  );
}
