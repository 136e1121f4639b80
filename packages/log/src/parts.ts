// Parts of prompts and tool results, as the log stores them. Large or binary content is stored as an artifact, and the
// part contains the digest.

import type { ImagePart, TextPart } from '@tidemark/core';
import type { Digest } from './ids.ts';

/** File that a prompt refers to. Its content is read by a tool, or is stored as an artifact. */
export interface FilePart {
  readonly type: 'file';
  readonly path: string;
  readonly artifact?: Digest;
}

/** One part of a prompt, a tool result or a note. */
export type ContentPart = TextPart | ImagePart<Digest> | FilePart;
