// Content of files that calls of a session showed to the model, or that the model wrote. A tool that replaces a whole
// file uses it: the model may no longer have the content in its context, or it may never have seen all of it.

import type { State } from '@tidemark/context';
import { slice, textOfResult } from '@tidemark/context';
import type { Digest, FileTouch, ShownBytes } from '@tidemark/log';
import type { Span } from '@tidemark/model';
import type { FileSeen } from '../ports/tool.ts';

/** Content of one file that the log contains. */
export interface KnownContent {
  readonly digest: Digest;
  /** Ways to know the content. Each is complete by itself, if its pieces cover the whole file. */
  readonly versions: readonly KnownVersion[];
}

/** Pieces of the content of a file, and later changes of this content. */
interface KnownVersion {
  readonly pieces: readonly ContentPiece[];
  readonly changes: readonly ContentPiece[];
}

/** A call that contains content of a file, in its arguments or in its result. */
export interface ContentPiece {
  /** Position of the answer with the call. */
  readonly answer: number;
  readonly call: string;
  /** Position of the result and its length in UTF-16 units, if the result contains the content. */
  readonly result?: { readonly position: number; readonly units: number };
  /** Bytes of the file that the piece contains. Absent if it contains the whole file. */
  readonly bytes?: ShownBytes;
}

/** A call that touched a file. */
export interface TouchingCall extends Pick<ContentPiece, 'answer' | 'call'> {
  readonly result: { readonly position: number; readonly units: number };
  /** True if the result was shortened, so that it does not show what the tool returned. */
  readonly isCut: boolean;
}

/** Maximum number of versions of one file. */
const MAX_VERSIONS = 4;

/** Returns the known content of a file after a call touched it. Returns `undefined` if the file has no content. */
export function contentAfter(
  before: KnownContent | undefined,
  { digest, as, before: was, shows }: FileTouch,
  { isCut, answer, call, result }: TouchingCall,
): KnownContent | undefined {
  if (digest === undefined || as === 'removed') return undefined;
  if (as === 'written') {
    const piece = { answer, call };
    if (shows !== 'change') return { digest, versions: [{ pieces: [piece], changes: [] }] };
    const versions = before === undefined || before.digest !== was ? [] : before.versions;
    return { digest, versions: versions.map((one) => ({ ...one, changes: [...one.changes, piece] })) };
  }
  const versions = before?.digest === digest ? before.versions : [];
  if (isCut || shows === 'other-form') return { digest, versions };
  const piece = { answer, call, result, ...(typeof shows === 'object' && { bytes: shows }) };
  const last = versions.at(-1);
  if (last === undefined || last.changes.length > 0)
    return { digest, versions: [...versions, { pieces: [piece], changes: [] }].slice(-MAX_VERSIONS) };
  return { digest, versions: [...versions.slice(0, -1), { ...last, pieces: [...last.pieces, piece] }] };
}

/**
 * Returns the reason why the context of the model does not contain the whole content of a file. Returns `undefined` if
 * it does.
 */
export function missingContent({ versions }: KnownContent, state: State): FileSeen['missing'] {
  const isHeld = heldIn(state);
  const isComplete = ({ pieces, changes }: KnownVersion): boolean =>
    changes.every(isHeld) && coversAll(pieces.filter(isHeld));
  if (versions.some(isComplete)) return undefined;
  return versions.some(({ pieces }) => coversAll(pieces)) ? 'dropped' : 'never-whole';
}

function coversAll(pieces: readonly ContentPiece[]): boolean {
  if (pieces.some(({ bytes }) => bytes === undefined)) return true;
  const parts = pieces.flatMap(({ bytes }) => bytes ?? []).toSorted((a, b) => a.from - b.from);
  const end = parts.reduce((reached, { from, to }) => (from <= reached ? Math.max(reached, to) : reached), 0);
  return parts.length > 0 && parts.every(({ of }) => end >= of);
}

/** Returns a function that returns true if the packed history, or the open batch of calls, contains a piece whole. */
function heldIn({ history: { packed, batch } }: State): (piece: ContentPiece) => boolean {
  const spans = slice(packed);
  return ({ answer, call, result }) => {
    if (batch?.position === answer) return true;
    const at = result?.position ?? answer;
    const span = spans.find(({ origin }) => origin.from === 'event' && origin.position === at);
    if (span === undefined) return false;
    return result === undefined ? containsCall(span, call) : lengthOfResult(span) === result.units;
  };
}

/** Returns true if the span contains the call. The id that is sent may be longer than the recorded id. */
function containsCall({ parts }: Span, call: string): boolean {
  return parts.some((part) => part.type === 'call' && part.call.startsWith(call));
}

function lengthOfResult({ parts: [part] }: Span): number | undefined {
  return part?.type === 'result' ? textOfResult(part.content).length : undefined;
}
