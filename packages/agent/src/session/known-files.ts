// Files that calls of a session touched, folded from the log. It is a part of the progress.

import type { FileTouch, RecordedOf } from '@tidemark/log';
import type { FileSeen } from '../ports/tool.ts';
import type { KnownContent } from './known-content.ts';
import { contentAfter, missingContent } from './known-content.ts';
import type { State } from '@tidemark/context';

/** Files that calls of a session touched. Mutable. */
export interface KnownFiles {
  /** Last touch of each file, by path. */
  readonly knownFiles: Map<string, FileTouch>;
  /** Content of files that calls contain, by path. */
  readonly knownContents: Map<string, KnownContent>;
  /** Position of the last answer on the main stream, or -1. */
  lastAnswerPosition: number;
  /** Length of the last tool result in UTF-16 units. */
  lastResultUnits: number;
}

/** Returns the files of an empty log. */
export function noFiles(): KnownFiles {
  return { knownFiles: new Map(), knownContents: new Map(), lastAnswerPosition: -1, lastResultUnits: 0 };
}

/** Adds the files of a result, whose length is already counted. */
export function takeFiles(
  { knownFiles, knownContents, lastResultUnits: units, lastAnswerPosition: answer }: KnownFiles,
  { position, data }: RecordedOf<'tool.returned' | 'tool.failed'>,
): void {
  for (const file of data.files ?? []) {
    knownFiles.set(file.path, file);
    const call = { answer, call: data.call, result: { position, units }, isCut: data.shaping !== undefined };
    const content = contentAfter(knownContents.get(file.path), file, call);
    if (content === undefined) knownContents.delete(file.path);
    else knownContents.set(file.path, content);
  }
}

/** Returns the last touch of a file, and the reason why the context does not contain all of its content. */
export function seenFile({ knownFiles, knownContents }: KnownFiles, path: string, state: State): FileSeen | undefined {
  const touch = knownFiles.get(path);
  const content = knownContents.get(path);
  const missing = content === undefined ? undefined : missingContent(content, state);
  return touch === undefined || missing === undefined ? touch : { ...touch, missing };
}
