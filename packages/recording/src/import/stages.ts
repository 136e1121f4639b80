// Stages: the states in which one file was imported. Each state starts with the bytes of the previous state and is
// longer. A new import reads the records of each stage as the import of that state did. So it makes the same events
// again, and can continue after the events that the log already contains.

import { createHash } from 'node:crypto';
import type { Digest } from '@tidemark/log';
import { digest } from '@tidemark/log';
import { readDocument } from './file/read-document.ts';
import { readRecords } from './file/read-records.ts';
import type { Format } from './format/format.ts';
import { drawOutline } from './outline/draw-outline.ts';
import type { Outline } from './outline/outline.ts';
import type { OpenBytes } from './recognise.ts';

/** State of a file, identified by the length and the SHA-256 of its first bytes. */
export interface StageMark {
  readonly bytes: number;
  readonly digest: Digest;
}

/** Stage of a file, with the outline of the records up to its end. */
export interface Stage extends StageMark {
  readonly outline: Outline;
}

/**
 * Runs the first pass over the first `most` bytes of a file, and returns this state with its outline. By default the
 * whole file is read.
 */
export async function surveyStage(open: OpenBytes, format: Format, most: number = Infinity): Promise<Stage> {
  const hash = createHash('sha256');
  const drawing = drawOutline();
  const sight = format.sightings();
  let bytes = 0;
  let count = 0;
  const see = (chunk: Uint8Array): void => {
    hash.update(chunk);
    bytes += chunk.length;
  };
  for await (const lines of readDocument(showChunks(firstBytes(open(), most), see))) {
    for (const line of lines) {
      count = line.number;
      if ('reason' in line) continue;
      for (const raw of readRecords(line.text).records) drawing.add(sight(raw));
    }
  }
  return { outline: drawing.finish(count), digest: digest(hash.digest('hex')), bytes };
}

/** True if a file still starts with exactly the bytes of a stage. */
export async function beginsWith(open: OpenBytes, { bytes, digest: expected }: StageMark): Promise<boolean> {
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of firstBytes(open(), bytes)) {
    hash.update(chunk);
    length += chunk.length;
  }
  return length === bytes && hash.digest('hex') === expected;
}

async function* firstBytes(chunks: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let left = most;
  for await (const chunk of chunks) {
    yield chunk.length <= left ? chunk : chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

async function* showChunks(
  chunks: AsyncIterable<Uint8Array>,
  see: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    see(chunk);
    yield chunk;
  }
}
