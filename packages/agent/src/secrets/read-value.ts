// Reads the value that begins at an offset of a text. The value may be unquoted, or quoted as in JSON, shells, YAML and
// code. The text itself may be a string inside JSON. A value is read only up to a maximum length.

import type { CredentialKind } from './credential.ts';
import { gradeOf, isPlaceholder } from './credential.ts';

/** Value in a text: its offsets without the quotes, and its quote. */
export interface ReadValue {
  readonly start: number;
  readonly end: number;
  /** Quote of the value without backslashes. Empty for an unquoted value. */
  readonly quote: string;
}

/**
 * Longest quoted value and longest unquoted value, in UTF-16 units. If a value is longer, only its first characters up
 * to this length are masked.
 */
const LONGEST_QUOTED = 15_000;
const LONGEST_BARE = 4_096;

/**
 * Matches an opening quote, with its backslashes or as an HTML entity. Also matches the text that code and shells allow
 * before a quote: `b"`, `$'`, `String("`.
 */
const OPENING =
  /(?:[bBfFLNrRuU@$]{1,2}(?=["'])|(?:new )?[A-Z]\w{2,11}\()?(?:(\\{0,31})(["'`])|(&(?:quot|apos|#34|#39|#x27);))/y;
/** Matches the text allowed after a closing quote. */
const AFTER_QUOTE = /[\s,;:)\]}<>|&]|$/y;
/** Matches a quote inside a single-quoted text of a shell, after the closing quote: `'it'\''s'`, `'it'"'"'s'`. */
const SHELL_QUOTE = /\\{1,8}''|\\{0,7}"'\\{0,7}"'/y;
/** Matches the escape of a line end or a tab in a string. */
const ESCAPED_SPACE = /\\+[nrt]/y;

/**
 * Place of an unquoted value. `line`: on a line without a quote before the value. `alone`: in `NAME=value`. `query`: in
 * the query of a URL. `text`: among other text.
 */
export type BarePlace = 'line' | 'alone' | 'query' | 'text';

/** Characters that can end an unquoted value, by place. */
const STOPS: { readonly [P in BarePlace]: RegExp } = {
  line: /[\s\\]/g,
  alone: /[\s"'`\\]/g,
  query: /[\s"'`\\,;&|<>)\]}#]/g,
  text: /[\s"'`\\,;&|<>)\]}]/g,
};

/** Reads a quoted or unquoted value at this offset. `place` is used only for an unquoted value. */
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

/**
 * Returns the offset where the quoted text ends. The closing quote has as many backslashes as the opening one. A line
 * end also ends the text.
 */
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
 * Returns true if a quote closes the value. A quote inside the value is escaped one level deeper than the quotes around
 * the value: `"a\"b"`, and `\"a\\\"b\"` in a JSON string. A quote without backslashes ends the whole string.
 */
function isClosing(run: number, slashes: number): boolean {
  return run < slashes || run % 2 === 0 || ((run - slashes) / (slashes + 1)) % 2 === 0;
}

/**
 * Returns the offset after a doubled quote (YAML, SQL), or after a quote that is escaped for a shell: `'\''`, `'"'"'`.
 * If there is no such quote, returns `at`.
 */
function behindShellQuote(text: string, at: number): number {
  if (text[at + 1] === "'") return at + 2;
  SHELL_QUOTE.lastIndex = at + 1;
  return at + (SHELL_QUOTE.exec(text)?.[0].length ?? -1) + 1;
}

/** Matches quotes at the end of a line that close a string from an earlier line. */
const LAST_QUOTES = /["'`]{1,3}[;,)\]}]{0,8}$/;

/** Reads an unquoted value at this offset, even if the text begins with a quote. */
export function readBare(text: string, at: number, place: BarePlace): ReadValue {
  const end = bareEnd(text, at, STOPS[place]);
  if (place !== 'line') return { start: at, end, quote: '' };
  return { start: at, end: at + text.slice(at, end).replace(LAST_QUOTES, '').length, quote: '' };
}

/**
 * Returns the end of an unquoted value. A quote inside a word belongs to the value. A quote that closes the surrounding
 * text does not belong to it.
 */
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

// Recognises code at a place where a credential could be: a call, an index, a list, a type, or operands joined by
// operators. A bracket alone does not prove that the text is code, because generated passwords contain brackets too.

/** Number of characters of a line that are read, in UTF-16 units. */
const LONGEST = 256;
/** Matches a line end, also in its escaped form in a JSON string. */
const LINE_BREAK = /[\r\n]|\\+[nr]/;
/** Matches the text before the first bracket of a call or an index. */
const HEAD = /[A-Za-z_$!&*][\w$.:>?!-]*(?:<[\w$.,:&| <>[\]]{1,64}>)?(?=[([{])/y;
/** Matches the text after a call or an index: a member, the bracket of the next call or index, or `!`. */
const MEMBER = /[!?]{0,2}(?:\.|::|->)[A-Za-z_$][\w$]*|[!?]{0,2}\.?(?=[([{])|!(?=\W|$)/y;
/**
 * Matches the text allowed after code on its line: signs that close surrounding code, followed by a space or the end of
 * a string.
 */
const AFTER_CODE = /[)\]},;]*(?:$|[\s"'`\\])/y;
/** Matches a line that ends inside an unfinished call: `getKey(`, `get(a,`. */
const GOES_ON = /^[A-Za-z_$][\w$.]*[([{](?:[\w$.,' "-]*[([{,])?$/;

const CLOSED_BY: ReadonlyMap<string, string> = new Map(Object.entries({ '(': ')', '[': ']', '{': '}' }));

/**
 * Returns true if code begins at this offset. The code is a call, an index or a list with all its brackets closed, or a
 * call that continues on the next line.
 */
export function isWholeCode(text: string, start: number): boolean {
  const line = lineAt(text, start);
  const end = codeEnd(line);
  if (end === undefined) return GOES_ON.test(line.trimEnd()) && gradeOf(/^[\w$]*/.exec(line)?.[0] ?? '') !== 'mixed';
  AFTER_CODE.lastIndex = end;
  return AFTER_CODE.test(line);
}

function lineAt(text: string, start: number): string {
  const part = text.slice(start, start + LONGEST);
  return part.slice(0, LINE_BREAK.exec(part)?.index ?? part.length);
}

/**
 * Returns the end of the call, index or list at the beginning of the line. Returns `undefined` if the line does not
 * begin with one.
 */
function codeEnd(line: string): number | undefined {
  HEAD.lastIndex = 0;
  let end = groupEnd(line, HEAD.exec(line)?.[0].length ?? 0);
  while (end !== undefined) {
    MEMBER.lastIndex = end;
    const behind = end + (MEMBER.exec(line)?.[0].length ?? 0);
    if (CLOSED_BY.has(line[behind] ?? '')) end = groupEnd(line, behind);
    else if (behind === end) return end;
    else end = behind;
  }
  return undefined;
}

/**
 * Returns the offset after the closing bracket that matches the bracket at this offset. Returns `undefined` if there is
 * no bracket at this offset or if it is not closed.
 */
function groupEnd(line: string, at: number): number | undefined {
  const open: string[] = [];
  for (let place = at; place < line.length; place += 1) {
    const character = line[place] ?? '';
    const closing = CLOSED_BY.get(character);
    if (closing !== undefined) open.push(closing);
    else if (/[)\]}]/.test(character) && open.pop() !== character) return undefined;
    if (open.length === 0) return place === at ? undefined : place + 1;
  }
  return undefined;
}

/**
 * Matches one operand of code: a path of names, a number or a generic type, including the calls and indexes after it.
 */
const OPERAND =
  /[!&*]{0,2}(?:[A-Za-z_$@][\w$]{0,63}|\d{1,9}(?=\W|$))(?:[!?]?(?:\.|::|->)[A-Za-z_$][\w$]{0,63}|<[\w$.,:&| <>[\]']{1,64}>|\[\]|\[[\w$.:'"-]{1,64}\]|\([\w$.,:'" ]{0,64}\)){0,8}[!?]?/y;
const OPERATOR = /\|\||&&|\?\?|===?|!==?|=>|[+*/%|&?:<>-]/y;
const CLOSING = /[)\]},;]*$/y;
const REGULAR_EXPRESSION = /^\/.+\/[dgimsuvy]*[,;]?$/;
const ARROW = /^\(?[\w$,]{0,64}\)?=>/;

/**
 * Returns true if the value is code: names, numbers and calls joined by operators. The value is the whole rest of its
 * line. Returns false if one of its words looks like a password.
 */
export function isCodeOnLine(value: string): boolean {
  if (value.length > LONGEST) return false;
  if (REGULAR_EXPRESSION.test(value) || ARROW.test(value)) return true;
  for (let at = 0; at < value.length;) {
    OPERAND.lastIndex = at;
    const operand = OPERAND.exec(value)?.[0];
    if (operand === undefined || operand.split(/[^\w$]+/).some((word) => gradeOf(word) === 'mixed')) return false;
    at += operand.length;
    CLOSING.lastIndex = at;
    if (CLOSING.test(value)) return true;
    OPERATOR.lastIndex = at;
    const operator = OPERATOR.exec(value)?.[0];
    if (operator === undefined) return false;
    at += operator.length;
  }
  return false;
}

// Recognises values that follow the name of a credential but are not credentials. Examples are the type of a field, a
// label of a form, a version range, and a colour. See docs/decisions/2026-11-22-secret-shapes.md.

interface JoinedValue {
  readonly name: string;
  readonly kind: CredentialKind;
  /** Sign between the name and the value: `=`, `:`, `=>` and so on. */
  readonly joint: string;
  readonly value: string;
  readonly isBare: boolean;
}

/** Matches the name of a type that is optional or required: `String!`, `[Token!]!`, `Auth.Token?`. */
const TYPE = /^(\[?[A-Z][A-Za-z]*(?:\.[A-Z][A-Za-z]*)*)!?\]?[!?]$/;
/**
 * Matches the last word of the name of a type that can contain a password. If `!` follows any other word, the text may
 * be a password itself.
 */
const TEXT_TYPE =
  /(?:String|Str|Text|Varchar|Chars?|CharSequence|CharArray|Bytes?|Buffer|Data|Password|Passphrase|Passcode|Secret|Token|Hash|Input|Value|Field|Type|Scalar|ID)$/;

/** Matches a validation rule such as those of Laravel: `required|min:8`. */
const VALIDATION =
  /^(?=(?:.{0,200}\|)?(?:required|nullable|sometimes|present|filled|bail|string|confirmed|(?:min|max|size|between):))[a-z_]{2,32}(?::[\w,./-]{1,64})?(?:\|[a-z_]{2,32}(?::[\w,./-]{1,64})?){1,12}$/;
/** Matches the beginning of a package source: `npm:@x/jwt@^1.2.3`. */
const PACKAGE_SOURCE = /^(?:npm|workspace|link|portal|patch|catalog|git|github|gitlab|bitbucket|jsr):/;
/** Matches a version range with an operator before each version: `>=3.8,<4.0`. */
const VERSIONS =
  /^(?:[\^~<>=!]{1,3} ?v?\d{1,6}(?:\.(?:\d{1,6}|[x*])){0,3}(?:-[a-z]{1,8}(?:\.\d{1,4})?)?(?: ?,? ?(?:\|\|)? ?|$)){1,6}$/;
/** Matches a range of numbers: `8..128`. */
const RANGE = /^\d{1,9}\.\.[.<=]?\d{1,9}$/;
/** Matches a function of a style sheet: `var(--blue-500)`. */
const STYLE =
  /^(?:var|rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|calc|env|theme|url|(?:linear|radial|conic)-gradient)\([^()]{0,200}(?:\([^()]{0,100}\)[^()]{0,100}){0,4}\)$/;
/** Matches the name of a token kind of an editor theme: `delimiter.curly#1`. */
const SCOPE = /^[a-z]{2,24}(?:[.-][a-z]{2,24}){1,6}#\w{1,8}$/;
/** Matches a YAML alias. An unquoted YAML value cannot begin with `*`. */
const ALIAS = /^\*[A-Za-z][\w-]{0,63}$/;
/** Matches full-width marks in a label: `密码（必填）`. */
const LABEL_MARKS = /[（）【】「」：！？＊。、，]/g;
/** Matches a letter as a JSON escape, also in nested strings: `\u00f1`. */
const ESCAPED_LETTER = /\\{1,15}u([0-9A-Fa-f]{4})/g;

/** Longest value that is read as program text, in UTF-16 units. */
const LONGEST_PROGRAM = 256;

/**
 * Returns true if the value is not a credential but a type, a rule, a label, a version, a range, a colour or an alias.
 */
export function isProgramText({ name, kind, joint, value, isBare }: JoinedValue): boolean {
  if (value.length > LONGEST_PROGRAM) return false;
  if (isBare) return RANGE.test(value) || (joint === ':' && (ALIAS.test(value) || isType(value, kind)));
  if (PACKAGE_SOURCE.test(value) || VERSIONS.test(value) || VALIDATION.test(value) || STYLE.test(value)) return true;
  return (kind !== 'password' && SCOPE.test(value)) || isLabel(value, name);
}

function isType(value: string, kind: CredentialKind): boolean {
  const name = TYPE.exec(value)?.[1]?.replace('[', '');
  return name !== undefined && gradeOf(name) === 'plain' && (kind !== 'password' || TEXT_TYPE.test(name));
}

/**
 * Returns true for a label of a form. `Passwort*` marks a required field. Before `!`, `?` or `:`, only placeholder
 * words are accepted as a label, because other words may be a password.
 */
function isLabel(value: string, name: string): boolean {
  const letters = value.replaceAll(ESCAPED_LETTER, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  const label = letters.replaceAll(LABEL_MARKS, ' ').trim();
  if (/[A-Za-z]$/.test(label.slice(0, -1)) && /[!?:]$/.test(label) && !/\d/.test(label))
    return isPlaceholder(label.slice(0, -1), name);
  const words = label.replace(/ ?\*$/, '');
  return words !== value && gradeOf(words) === 'plain';
}
