// Reads the value that begins at a place of a text: quoted in the ways of JSON, shells, YAML and code, also where that text
// is itself a string in JSON, or bare. Every reading is bounded.

/** The value: offsets without the quotes, and how it was written. */
export interface ReadValue {
  readonly start: number;
  readonly end: number;
  /** The quote, without backslashes; empty for a bare value. */
  readonly quote: string;
}

/** Longest value in quotes, and longest bare one, in UTF-16 units. Of a longer one this much is masked. */
const LONGEST_QUOTED = 15_000;
const LONGEST_BARE = 4_096;

/** A quote with its backslashes or as HTML writes it, behind what may stand before a quote in code and shells: `b"`, `$'`, `String("`. */
const OPENING =
  /(?:[bBfFLNrRuU@$]{1,2}(?=["'])|(?:new )?[A-Z]\w{2,11}\()?(?:(\\{0,31})(["'`])|(&(?:quot|apos|#34|#39|#x27);))/y;
/** What may follow a quote that closes. */
const AFTER_QUOTE = /[\s,;:)\]}<>|&]|$/y;
/** How a shell goes on behind a closing single quote: `'it'\''s'`, `'it'"'"'s'`. */
const SHELL_QUOTE = /\\{1,8}''|\\{0,7}"'\\{0,7}"'/y;
/** The escape of a line end or a tab in a string. */
const ESCAPED_SPACE = /\\+[nrt]/y;

/** Where a bare value may be: on a line without a quote before it, alone (`NAME=value`), in the query of an address, or among other text. */
export type BarePlace = 'line' | 'alone' | 'query' | 'text';

/** Characters at which a bare value may end, by its place. */
const STOPS: { readonly [P in BarePlace]: RegExp } = {
  line: /[\s\\]/g,
  alone: /[\s"'`\\]/g,
  query: /[\s"'`\\,;&|<>)\]}#]/g,
  text: /[\s"'`\\,;&|<>)\]}]/g,
};

/** Reads a value at this offset, quoted or bare. */
export function readValue(text: string, at: number, place: BarePlace): ReadValue {
  OPENING.lastIndex = at;
  const opening = OPENING.exec(text);
  if (opening === null) return readBare(text, at, place);
  const [{ length }, slashes = '', quote = '', entity] = opening;
  const start = at + length;
  if (entity !== undefined) return { start, end: endBefore(text, start, entity), quote: entity };
  return { start, end: quotedEnd(text, start, quote, slashes.length), quote };
}

function endBefore(text: string, start: number, closing: string): number {
  const end = text.slice(start, start + LONGEST_QUOTED).indexOf(closing);
  return end === -1 || text.slice(start, start + end).includes('\n') ? start : start + end;
}

/** Where the quote closes: behind as many backslashes as it was opened with. A line end closes it too. */
function quotedEnd(text: string, start: number, quote: string, slashes: number): number {
  const most = Math.min(text.length, start + LONGEST_QUOTED);
  let run = 0;
  for (let at = start; at < most; at += 1) {
    const character = text[at] ?? '';
    if (character === '\\') {
      run += 1;
      continue;
    }
    const isOuter = character === '"' && quote !== '"' && run % 2 === 0 && closes(text, at + 1);
    if (character === '\n' || character === '\r' || isOuter) return at - run;
    const isInWord = quote === "'" && run > 0 && !closes(text, at + 1);
    if (character === quote && !isInWord && isClosing(run, slashes)) {
      const on = quote === "'" ? behindShellQuote(text, at) : at;
      if (on === at) return at - run;
      at = on - 1;
    }
    run = 0;
  }
  return most - run;
}

/**
 * A quote inside of the value has one more escape than those around it: `"a\"b"`, and in a string of JSON `\"a\\\"b\"`. A
 * quote that nothing escapes ends the whole string.
 */
function isClosing(run: number, slashes: number): boolean {
  return run < slashes || run % 2 === 0 || ((run - slashes) / (slashes + 1)) % 2 === 0;
}

/** Behind a quote that is doubled (YAML, SQL), or is closed and opened again around one (shells); else the same offset. */
function behindShellQuote(text: string, at: number): number {
  if (text[at + 1] === "'") return at + 2;
  SHELL_QUOTE.lastIndex = at + 1;
  return at + (SHELL_QUOTE.exec(text)?.[0].length ?? -1) + 1;
}

/** Quotes at the end of a line, which end a string that began on an earlier line. */
const LAST_QUOTES = /["'`]{1,3}[;,)\]}]{0,8}$/;

/** Reads a value at this offset as a bare one, also where it begins with a quote. */
export function readBare(text: string, at: number, place: BarePlace): ReadValue {
  const end = bareEnd(text, at, STOPS[place]);
  if (place !== 'line') return { start: at, end, quote: '' };
  return { start: at, end: at + text.slice(at, end).replace(LAST_QUOTES, '').length, quote: '' };
}

/** The end of a bare value. A quote inside of a word belongs to it; one that closes something around it does not. */
function bareEnd(text: string, start: number, stop: RegExp): number {
  const part = text.slice(start, start + LONGEST_BARE);
  stop.lastIndex = 0;
  for (let found = stop.exec(part); found !== null; found = stop.exec(part))
    if (!isInside(text, start + found.index)) return start + found.index;
  return start + part.length;
}

function isInside(text: string, at: number): boolean {
  const character = text[at] ?? '';
  if (character === '\\') {
    ESCAPED_SPACE.lastIndex = at;
    const quote = /^\\+(["'`])/.exec(text.slice(at, at + 33));
    return !ESCAPED_SPACE.test(text) && (quote === null || !closes(text, at + quote[0].length));
  }
  return /["'`]/.test(character) && !closes(text, at + 1);
}

function closes(text: string, at: number): boolean {
  AFTER_QUOTE.lastIndex = at;
  return AFTER_QUOTE.test(text) || text[at] === '\\';
}
