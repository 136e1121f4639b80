// Removes the matches that depend on a secret. Secrets are masked in every result. A model that may search for any
// pattern could still find a secret letter by letter, because a line is found or not. A line with a secret therefore
// counts as a match only if the pattern matches a part of it between the secrets. Such a match exists whatever the
// secret is. A match may not touch a secret, because `\b` and `$` depend on the next character.

import type { GrepLine } from './grep-record.ts';

/** Part of a masked line between secrets. `isStart` and `isEnd` are true at the start and at the end of the line. */
interface Piece {
  readonly text: string;
  readonly at: number;
  readonly isStart: boolean;
  readonly isEnd: boolean;
}

/** Matches in one of the given texts, by its index. Starts and ends are in bytes of UTF-8. */
export interface TextMatches {
  readonly index: number;
  readonly spans: readonly ByteSpan[];
}

interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** Functions that the check of matches uses. */
export interface SecretCheck {
  readonly mask: (text: string) => Promise<string>;
  /** Finds the pattern in texts of one line each. Returns all matches. Returns nothing for a pattern that looks around. */
  readonly find: (texts: readonly string[]) => Promise<readonly TextMatches[]>;
  /** Number of context lines around each match. */
  readonly context: number;
}

/** Removes lines of one file. Lines are passed in their order. */
export interface SecretFilter {
  /** Takes the next line. Returns the lines that are checked by now. */
  take(line: GrepLine): Promise<readonly GrepLine[]>;
  /** Returns the rest of the lines. */
  rest(): Promise<readonly GrepLine[]>;
}

/** Maximum number of lines, and of their characters, that are checked together. */
const MOST_LINES = 2_000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** Characters on each side of a match that are searched for secrets in a long line. Every secret is shorter. */
const AROUND = 32 * 1024;

const PLACEHOLDER = /\[secret:[A-Za-z0-9_.-]{1,64}\]/g;

/** Creates the filter of one search. */
export function createSecretFilter(check: SecretCheck): SecretFilter {
  let waiting: GrepLine[] = [];
  let characters = 0;
  let last: GrepLine | undefined;
  // File in which a match was left out. Its context lines are checked too.
  let incomplete: string | undefined;
  const flush = async (): Promise<readonly GrepLine[]> => {
    const checked = await matchesWithoutSecrets(waiting, check);
    if (checked.some(({ match }, at) => match === undefined && waiting[at]?.match !== undefined))
      incomplete = waiting[0]?.path;
    const isWhole = incomplete === undefined || incomplete !== waiting[0]?.path;
    const kept = checked.filter(({ match }) => match !== undefined);
    const shown = isWhole
      ? checked
      : checked.filter((line) => line.match !== undefined || isNear(line, kept, last, check.context));
    last = kept.at(-1) ?? last;
    waiting = [];
    characters = 0;
    return shown;
  };
  return {
    async take(line) {
      const isOther = waiting.length > 0 && waiting[0]?.path !== line.path;
      const isFull = waiting.length >= MOST_LINES || characters > MOST_CHARACTERS;
      // A context line can belong to the next match, so only lines up to a match are checked.
      const done = isOther || (isFull && waiting.at(-1)?.match !== undefined) ? await flush() : [];
      waiting.push(line);
      characters += line.text.length;
      return done;
    },
    rest: flush,
  };
}

/** Returns true if a context line is near a match that is shown. */
function isNear(line: GrepLine, kept: readonly GrepLine[], last: GrepLine | undefined, context: number): boolean {
  return [...kept, ...(last === undefined ? [] : [last])].some(
    (one) => one.path === line.path && Math.abs(one.line - line.line) <= context,
  );
}

/** Returns each line. A match that depends on a secret becomes a context line. */
async function matchesWithoutSecrets(
  lines: readonly GrepLine[],
  { mask, find }: SecretCheck,
): Promise<readonly GrepLine[]> {
  const pieces: (Piece & { readonly line: number })[] = [];
  const masked = new Map<number, string>();
  for (const [index, { text, match }] of lines.entries()) {
    if (match === undefined) continue;
    const part = text.length <= 2 * AROUND ? text : text.slice(Math.max(0, match[0] - AROUND), match[0] + AROUND);
    const safe = await mask(part);
    if (safe === part) continue;
    masked.set(index, safe);
    pieces.push(...piecesOf(safe).map((piece) => ({ ...piece, line: index })));
  }
  if (masked.size === 0) return lines;
  const found = new Map<number, readonly [number, number]>();
  for (const { index, spans } of await find(pieces.map(({ text }) => text))) {
    const piece = pieces[index];
    if (piece === undefined || found.has(piece.line)) continue;
    const bytes = Buffer.from(piece.text);
    const span = spans.find((one) => !touches(piece, one, bytes.length));
    const place = (end: number): number => piece.at + bytes.subarray(0, end).toString().length;
    if (span !== undefined) found.set(piece.line, [place(span.start), place(span.end)]);
  }
  return lines.map((line, index) => {
    const text = masked.get(index);
    const match = found.get(index);
    if (text === undefined) return line;
    if (match !== undefined) return { ...line, text, match };
    const { match: _, ...contextLine } = line;
    return contextLine;
  });
}

function touches({ isStart, isEnd }: Piece, { start, end }: ByteSpan, length: number): boolean {
  return (!isStart && start === 0) || (!isEnd && end === length);
}

function piecesOf(masked: string): readonly Piece[] {
  const marks = [...masked.matchAll(PLACEHOLDER)].map(({ index, 0: { length } }) => [index, index + length] as const);
  const begins = [0, ...marks.map(([, end]) => end)];
  const ends = [...marks.map(([start]) => start), masked.length];
  return begins.map((at, index) => ({
    text: masked.slice(at, ends[index]),
    at,
    isStart: at === 0,
    isEnd: ends[index] === masked.length,
  }));
}
