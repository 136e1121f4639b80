// What prompts and results are made of, as the log stores it. Large or binary bytes are artifacts, named by digest.

import type { ImagePart, TextPart } from '@tidemark/core';
import type { Digest } from './ids.ts';

/** A file that the prompt names; its content is read by a tool, or is an artifact. */
export interface FilePart {
  readonly type: 'file';
  readonly path: string;
  readonly artifact?: Digest;
}

/** One part of a prompt, a tool result or a note. */
export type ContentPart = TextPart | ImagePart<Digest> | FilePart;
