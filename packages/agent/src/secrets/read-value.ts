// Reads the value that begins at a place of a text: quoted in the ways of JSON, shells, YAML and code, also where that text
// is itself a string in JSON, or bare. Every reading is bounded.

import type { CredentialKind } from './credential.ts';
import { gradeOf, isPlaceholder } from './credential.ts';

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

// Recognises code in a place where a credential could be: a call, an index, a list, a type, operands with operators between. A
// bracket alone is no proof of code, because generated passwords contain brackets too.

/** Characters of a line that are read, in UTF-16 units. */
const LONGEST = 256;
/** The end of a line, also as a string of JSON holds it. */
const LINE_BREAK = /[\r\n]|\\+[nr]/;
/** What stands before the first bracket of a call or an index. */
const HEAD = /[A-Za-z_$!&*][\w$.:>?!-]*(?:<[\w$.,:&| <>[\]]{1,64}>)?(?=[([{])/y;
/** What follows a call or an index: a member, the bracket of another one, `!`. */
const MEMBER = /[!?]{0,2}(?:\.|::|->)[A-Za-z_$][\w$]*|[!?]{0,2}\.?(?=[([{])|!(?=\W|$)/y;
/** What may stand behind code on its line: signs that close something around it, then a blank or the end of a string. */
const AFTER_CODE = /[)\]},;]*(?:$|[\s"'`\\])/y;
/** The end of a line within a call that goes on: `getKey(`, `get(a,`. */
const GOES_ON = /^[A-Za-z_$][\w$.]*[([{](?:[\w$.,' "-]*[([{,])?$/;

const CLOSED_BY: ReadonlyMap<string, string> = new Map(Object.entries({ '(': ')', '[': ']', '{': '}' }));

/** Returns true when whole code begins at this offset of the text: a call, an index or a list, with its brackets closed. */
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

/** Returns where the call, index or list ends that the line begins with. `undefined`: it begins with none. */
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

/** Returns where the bracket at this place is closed, behind its closing one. `undefined`: there is none, or it stays open. */
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

/** One operand of code: a path of names, a number, a generic type, with what a call or an index follows it. */
const OPERAND =
  /[!&*]{0,2}(?:[A-Za-z_$@][\w$]{0,63}|\d{1,9}(?=\W|$))(?:[!?]?(?:\.|::|->)[A-Za-z_$][\w$]{0,63}|<[\w$.,:&| <>[\]']{1,64}>|\[\]|\[[\w$.:'"-]{1,64}\]|\([\w$.,:'" ]{0,64}\)){0,8}[!?]?/y;
const OPERATOR = /\|\||&&|\?\?|===?|!==?|=>|[+*/%|&?:<>-]/y;
const CLOSING = /[)\]},;]*$/y;
const REGULAR_EXPRESSION = /^\/.+\/[dgimsuvy]*[,;]?$/;
const ARROW = /^\(?[\w$,]{0,64}\)?=>/;

/** Returns true when the value, which is the rest of its line, is code: names and calls of words with operators between. */
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

// Recognises values of code, documents and settings that follow a telling name and hold no credential: the type of a
// field, a label of a form, a range of versions, a colour. See docs/decisions/2026-11-22-secret-shapes.md.

/** A value next to a name, and how the two are joined. */
interface JoinedValue {
  readonly name: string;
  readonly kind: CredentialKind;
  /** `=`, `:`, `=>` and so on. */
  readonly joint: string;
  readonly value: string;
  /** No quotes stand around the value. */
  readonly isBare: boolean;
}

/** A name of a type that may be absent or must be given: `String!`, `[Token!]!`, `Auth.Token?`. */
const TYPE = /^(\[?[A-Z][A-Za-z]*(?:\.[A-Z][A-Za-z]*)*)!?\]?[!?]$/;
/** Last words of types that hold a password: any other word with `!` behind it may be one. */
const TEXT_TYPE =
  /(?:String|Str|Text|Varchar|Chars?|CharSequence|CharArray|Bytes?|Buffer|Data|Password|Passphrase|Passcode|Secret|Token|Hash|Input|Value|Field|Type|Scalar|ID)$/;

/** A rule of validation, such as those of Laravel: `required|min:8`. */
const VALIDATION =
  /^(?=(?:.{0,200}\|)?(?:required|nullable|sometimes|present|filled|bail|string|confirmed|(?:min|max|size|between):))[a-z_]{2,32}(?::[\w,./-]{1,64})?(?:\|[a-z_]{2,32}(?::[\w,./-]{1,64})?){1,12}$/;
/** Where a package comes from: `npm:@x/jwt@^1.2.3`. */
const PACKAGE_SOURCE = /^(?:npm|workspace|link|portal|patch|catalog|git|github|gitlab|bitbucket|jsr):/;
/** A range of versions with an operator before each: `>=3.8,<4.0`. */
const VERSIONS =
  /^(?:[\^~<>=!]{1,3} ?v?\d{1,6}(?:\.(?:\d{1,6}|[x*])){0,3}(?:-[a-z]{1,8}(?:\.\d{1,4})?)?(?: ?,? ?(?:\|\|)? ?|$)){1,6}$/;
/** A range of numbers: `8..128`. */
const RANGE = /^\d{1,9}\.\.[.<=]?\d{1,9}$/;
/** A function of style sheets: `var(--blue-500)`. */
const STYLE =
  /^(?:var|rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|calc|env|theme|url|(?:linear|radial|conic)-gradient)\([^()]{0,200}(?:\([^()]{0,100}\)[^()]{0,100}){0,4}\)$/;
/** A name of a kind of token in an editor: `delimiter.curly#1`. */
const SCOPE = /^[a-z]{2,24}(?:[.-][a-z]{2,24}){1,6}#\w{1,8}$/;
/** An alias of YAML. No plain value of YAML begins so. */
const ALIAS = /^\*[A-Za-z][\w-]{0,63}$/;
/** Marks around a label: `Passwort*`, `密码（必填）`. */
const LABEL_MARKS = /[（）【】「」：！？＊。、，]/g;
/** A letter as JSON escapes it, also in a string in a string: `\u00f1`. */
const ESCAPED_LETTER = /\\{1,15}u([0-9A-Fa-f]{4})/g;

/** Longest value that is read as program text, in UTF-16 units. */
const LONGEST_PROGRAM = 256;

/** Whether the value is a type, a rule, a label, a version, a range, a colour or an alias, not a credential. */
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

/** A word of a form. `Passwort*` marks a field that must be filled in; before `!` only general words are no password. */
function isLabel(value: string, name: string): boolean {
  const letters = value.replaceAll(ESCAPED_LETTER, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  const label = letters.replaceAll(LABEL_MARKS, ' ').trim();
  if (/[A-Za-z]$/.test(label.slice(0, -1)) && /[!?:]$/.test(label) && !/\d/.test(label))
    return isPlaceholder(label.slice(0, -1), name);
  const words = label.replace(/ ?\*$/, '');
  return words !== value && gradeOf(words) === 'plain';
}
