// Finds the values after a name that indicates a credential: `DB_PASSWORD=…`, `"apiKey": "…"`, `x-api-key: …`, `--token
// …`. The rule is in docs/decisions/2026-11-22-secret-shapes.md.

import type { CredentialKind, SecretShape } from './credential.ts';
import {
  credentialKind,
  gradeOf,
  isExpression,
  isLoginInBase64,
  isPath,
  isPlaceholder,
  isRandom,
  isReference,
} from './credential.ts';
import type { BarePlace, ReadValue } from './read-value.ts';
import { isCodeOnLine, isProgramText, isWholeCode, readBare, readValue } from './read-value.ts';

/** Name before a value, and the sign between them. `from` is the offset of the name, `at` the offset after the sign. */
interface ValueName {
  readonly from: number;
  readonly name: string;
  readonly kind: CredentialKind;
  /** Sign between the name and the value, such as `=`, `:`, `=>`, `>`, or a space after a flag. */
  readonly joint: string;
  /** True if there is no space between the name, the sign and the value. */
  readonly isTight: boolean;
  readonly isQuotedName: boolean;
  readonly at: number;
}

interface WrittenValue extends ValueName, ReadValue {
  readonly value: string;
  /** True if the value is the whole rest of its line and looks like a password, not like code. */
  readonly isSole: boolean;
}

/**
 * Matches three parts: the middle of a word that names a credential (`pass`, `ken` of `token`, `cret` of `secret`), the
 * rest of the name, and the sign before the value. Afterwards, the beginning of the name is searched backwards. `key`
 * needs a word before it. A type annotation is accepted only if there is a space before the `=` or an opening quote
 * after it. This is necessary because a base64 value ends in `=` too.
 */
const NAMED =
  /(?:key(?<=(?:[\w-]|(?:api|access|secret|private|auth) )key)|ken|cret|cred|pass|pwd|uth)[A-Za-z0-9_]{0,28}(?:\\{0,31}["'`]|&(?:quot|apos|#34|#39|#x27);)?\]?[ \t]{0,8}\??(?<joint>[=!]==?|:=|=>|=|\|\||\?\?|:[ \t]{0,4}[A-Za-z][\w<>[\].| ]{0,40}(?:[ \t]=|=(?=\\{0,31}["'`](?![\s,;:)\]}<>|&"'`\\]|$)))(?![=>])|:(?!:)|>|(?<=--[\w-]{1,64}) )[ \t]{0,8}/gi;
/** Matches the value of an `Authorization` header, with or without a scheme. */
const AUTHORIZATION =
  /(?:\\{0,31}["'`])?(?:(?<scheme>bearer|token|basic|api-?key|geniekey)[ \t]{1,4})?(?<secret>[^\s"'`<>,;\\]{4,12000})/iy;
const LONGEST_NAME = 64;
/** Matches the words before the last word of a name with spaces: `secret access` in `secret access key`. */
const SPACED = /(?:(?:aws|api|access|secret|private|auth|client|service|account) ){1,3}$/i;
/**
 * Matches the text allowed before a name at the beginning of a line: in settings, a shell, a Dockerfile, a diff, or the
 * output of `grep -n`.
 */
const LINE_BEGIN =
  /(?:^|[\r\n"'`]|\\[nr])(?:[\w./-]{1,120}:)?(?:\d{1,6}[:|\t-])?[\s>|+\-*#]*(?:(?:export|set|setx|env|ENV|ARG|const|let|var|declare|readonly)[ \t]+)?$/;
/** Matches the text allowed after a value at the end of a line. */
const LINE_END = /[ \t]{0,200}(?:(?<=\s)#|\/\/|$|[\r\n"'`]|\\+[nr"'])/y;
/** Number of characters before a name in which the beginning of its line is searched. */
const LONGEST_LEAD = 200;
const HEADER = /^(?:x-[\w-]+|api-key|private-token|ocp-apim-subscription-key)$/i;

/**
 * Returns every value after a name that indicates a credential, except placeholders. With `withinLine`, the text begins
 * in the middle of a line, where a quote may be open.
 */
export function findNamedValues(text: string, withinLine: boolean): readonly SecretShape[] {
  const found: SecretShape[] = [];
  NAMED.lastIndex = 0;
  for (let match = NAMED.exec(text); match !== null; match = NAMED.exec(text)) {
    const named = namedAt(text, match) ?? authorizationAt(text, match);
    if (named === undefined) continue;
    if ('end' in named) {
      found.push(named);
      NAMED.lastIndex = named.end;
      continue;
    }
    const written = readNamed(text, named, withinLine);
    if (!isCredential(text, written)) continue;
    const { start, end } = written;
    found.push({ from: named.from, start, end, name: named.name.replace(/^.*\./, '') });
    NAMED.lastIndex = end;
  }
  return found;
}

function namedAt(text: string, { 0: matched, index, groups }: RegExpExecArray): ValueName | undefined {
  const word = /^\w*/.exec(matched)?.[0] ?? '';
  const from = nameBegin(text, index);
  const name = text.slice(from, index + word.length);
  const kind = credentialKind(name);
  if (kind === undefined) return undefined;
  const joint = groups?.['joint'] ?? '';
  // Before `>` the name must be an XML tag (`<name>`) and not a group of a regular expression (`(?<name>`). Before `:`
  // the name must not follow `[`, because it would then be one of our own placeholders.
  if (
    joint === '>'
      ? !/(?:^|[^?])<$/.test(text.slice(Math.max(0, from - 2), from))
      : text[from - 1] === '[' && joint === ':'
  )
    return undefined;
  return {
    from,
    name,
    kind,
    joint: /^:.*=$/.test(joint) && joint !== ':=' ? '=' : joint,
    isQuotedName:
      /["'`;\]]/.test(matched.slice(word.length, word.length + 36)) && !matched.slice(word.length).startsWith(joint),
    isTight: matched.length === word.length + joint.length,
    at: index + matched.length,
  };
}

/**
 * Returns the credential of an `Authorization` header. After a scheme such as `Bearer`, any value is a credential. The
 * only exception is a plain word, as in the sentence `Authorization: Bearer tokens`. Without a scheme, a credential has
 * at least 16 characters.
 */
function authorizationAt(text: string, { 0: matched, index, groups }: RegExpExecArray): SecretShape | undefined {
  if (!/^uthorization\b/i.test(matched) || !/^(?:[:=]|=>)$/.test(groups?.['joint'] ?? '')) return undefined;
  AUTHORIZATION.lastIndex = index + matched.length;
  const { scheme, secret } = AUTHORIZATION.exec(text)?.groups ?? {};
  if (secret === undefined || isPlaceholder(secret) || isExpression(secret) || isReference(secret)) return undefined;
  const isOne =
    scheme === undefined ? gradeOf(secret) === 'mixed' && secret.length >= 16 : !/^[a-z]{1,14}[.)]?$/i.test(secret);
  const end = AUTHORIZATION.lastIndex;
  return isOne ? { from: nameBegin(text, index), start: end - secret.length, end, name: 'authorization' } : undefined;
}

/**
 * Searches backwards from this offset and returns the offset at which the name begins. In a JSON string, the letter of
 * an escape is not part of the name: `\nAPI_KEY`.
 */
function nameBegin(text: string, index: number): number {
  let from = index;
  while (index - from < LONGEST_NAME && /[\w$.-]/.test(text[from - 1] ?? '')) from -= 1;
  if (from === index) return index - (SPACED.exec(text.slice(Math.max(0, index - 40), index))?.[0].length ?? 0);
  if (text[from - 1] === '\\' && /[nrt]/.test(text[from] ?? '')) from += 1;
  while (from < index && /[-.$]/.test(text[from] ?? '')) from += 1;
  return from;
}

function readNamed(text: string, named: ValueName, withinLine: boolean): WrittenValue {
  const read = readValue(text, named.at, placeOf(text, named));
  const written = (one: ReadValue, isSole: boolean): WrittenValue => ({
    ...named,
    ...one,
    value: text.slice(one.start, one.end),
    isSole,
  });
  const isStrictly = isStrict(named);
  const isUnclosed = isStrictly && read.quote === '`' && text[read.end] !== '`';
  const { kind, joint, isQuotedName } = named;
  const mayBeSole = kind === 'password' && /^[=:]$/.test(joint) && !isQuotedName;
  if ((read.quote !== '' && !isUnclosed) || !(isStrictly || mayBeSole)) return written(read, false);
  const bare = readBare(text, named.at, isUnquotedLine(text, named.from, withinLine) ? 'line' : 'alone');
  if (isStrictly) return written(bare, false);
  const isSole = bare.end >= read.end && isSolePassword(text, written(bare, true));
  return isSole ? written(bare, true) : written(read, false);
}

/**
 * Returns true if no quote comes before this offset on its line. A quote after the offset then cannot close an earlier
 * one.
 */
function isUnquotedLine(text: string, at: number, withinLine: boolean): boolean {
  const lead = text.slice(Math.max(0, at - LONGEST_LEAD), at);
  const begin = Math.max(lead.lastIndexOf('\n'), lead.lastIndexOf('\r'));
  return (begin !== -1 || (at <= LONGEST_LEAD && !withinLine)) && !/["'`]/.test(lead.slice(begin + 1));
}

/**
 * Returns true for `password: value` if nothing else is on the line, as in YAML. The value may contain any character,
 * but must not be code.
 */
function isSolePassword(text: string, { from, start, end, value }: WrittenValue): boolean {
  if (!isWholeLine(text, from, end)) return false;
  const plain = value.replace(/[)\]},;.]+$/, '');
  return gradeOf(plain) === 'mixed' && !isPlaceholder(plain) && !isWholeCode(text, start) && !isCodeOnLine(value);
}

function placeOf(text: string, named: ValueName): BarePlace {
  if (/[?&]/.test(text[named.from - 1] ?? '')) return 'query';
  return isStrict(named) ? 'alone' : 'text';
}

/**
 * Returns true for `NAME=value` as in a shell or an .env file, and for a header. Only credentials are written in this
 * form.
 */
function isStrict({ name, joint, isTight, isQuotedName }: ValueName): boolean {
  if (joint === ':') return !isQuotedName && HEADER.test(name);
  return joint === '=' && isTight && /^(?:[A-Z][A-Z0-9_]*|_authToken|_password)$/.test(name);
}

function isCredential(text: string, written: WrittenValue): boolean {
  const { kind, name, joint, value, quote } = written;
  // A word of at most 14 letters is a credential only if it is written as in `isStrict` or `isSetting`. This check
  // excludes most code, so it comes first.
  if (value === '' || (/^[A-Za-z]{1,14}$/.test(value) && !isStrict(written) && !isSetting(text, written))) return false;
  if (isPlaceholder(value, name) || isReference(value)) return false;
  const isBare = quote === '' && joint !== '>';
  if (isBare && isCode(text, written)) return false;
  if (kind === 'login') return isLoginInBase64(value);
  if (kind === 'key') return isStrict(written) && isRandom(value);
  if (isStrict(written)) return isCredentialInStrict(written);
  if (/\s|\\[nrt]/.test(value)) return false;
  if (joint === '>' && !text.startsWith('</', written.end)) return false;
  if (isProgramText({ name, kind, joint, value, isBare: quote === '' })) return false;
  if (isSetting(text, written)) return value.length >= 4;
  return isBare ? isBareCredential(text, written) : isQuotedCredential(written);
}

/**
 * Returns true if the unquoted value is code. If the value is written as in `isStrict`, a bracket inside it does not
 * make it code.
 */
function isCode(text: string, written: WrittenValue): boolean {
  const { value, start, isSole } = written;
  if (isSole) return false;
  return isStrict(written) ? isPath(value) || isWholeCode(text, start) : isExpression(value);
}

/**
 * Returns true for `password=value` if nothing else is on the line, as in a .properties file. Code has spaces around
 * `=` or a comma at the end.
 */
function isSetting(text: string, { kind, joint, isTight, quote, from, end }: WrittenValue): boolean {
  return kind === 'password' && joint === '=' && isTight && quote === '' && isWholeLine(text, from, end);
}

function isCredentialInStrict({ kind, joint, value, quote }: WrittenValue): boolean {
  if (quote === '`' || value.length < 4 || /\\[nrt]/.test(value)) return false;
  if (joint === ':' && /^[A-Za-z]{1,14}$/.test(value)) return false;
  return kind === 'password' || !/\s/.test(value);
}

/**
 * Returns true if a quoted value is a credential. A value of plain words is not a credential. It is a message or a name
 * in a program: `'invalid-token'`.
 */
function isQuotedCredential({ kind, joint, value }: WrittenValue): boolean {
  const isPassword = kind === 'password' && !/^(?:\|\||\?\?)$/.test(joint);
  if (isPassword) return gradeOf(value) !== 'plain' && value.length >= 5 && !/^[\^~]?\d+(?:\.\d+)+$/.test(value);
  const grade = gradeOf(value.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}=]+$/gu, ''));
  if (grade === 'mixed') return value.length >= 8;
  return grade === 'worded' && value.length >= 12 && /^[A-Za-z]{6,}\d{2,}$/.test(value);
}

/**
 * Returns true if an unquoted value is a credential and not a name in code. If the value is not the whole rest of its
 * line, the checks are stricter.
 */
function isBareCredential(text: string, { kind, joint, isTight, from, end, value }: WrittenValue): boolean {
  if (!/^[=: ]$/.test(joint)) return false;
  const grade = gradeOf(value);
  const isPassword = kind === 'password';
  if (value.length < (isPassword ? 6 : 8) || grade === 'plain' || isDefaulted(value)) return false;
  if (grade !== 'mixed' && !isPassword) return false;
  if (/^[\w$.]+$/.test(value) && credentialKind(value) !== undefined) return false;
  if (joint === ' ' || isWholeLine(text, from, end)) return true;
  const isPlainName = /^[A-Za-z_$][\w$.]*$/.test(value) && !isRandom(value);
  const isInList = /^[,;)}]/.test(text.slice(end, end + 1));
  if (joint === ':') return grade === 'mixed' && !(isPlainName && isInList);
  return isTight && !(isPlainName && isInList && grade !== 'mixed');
}

/** Returns true if the value is a parameter type with a default value: `str=None`. */
function isDefaulted(value: string): boolean {
  const [, type = '', preset = ''] = /^([A-Za-z][\w.[\]|]{0,40})=([^=>].*)$/.exec(value) ?? [];
  return preset !== '' && gradeOf(type) === 'plain' && (gradeOf(preset) !== 'mixed' || isExpression(preset));
}

function isWholeLine(text: string, from: number, end: number): boolean {
  LINE_END.lastIndex = end;
  return LINE_END.test(text) && LINE_BEGIN.test(text.slice(Math.max(0, from - LONGEST_LEAD), from));
}

// Finds credentials without a sign such as `=` between the name and the value. Examples are `ENV NAME value` in a
// Dockerfile, a `name:` and `value:` pair of Kubernetes, a line of .netrc, and the flag `-p` of a command.

/**
 * Rule for the text before a value. The group `id` of `lead` is the name of the value. Without `id`, the value is a
 * password.
 */
interface PairRule {
  readonly hint: RegExp;
  readonly lead: RegExp;
  /** Place of an unquoted value. It determines the characters that end the value. Default: `text`. */
  readonly place?: BarePlace;
}

const BREAK = String.raw`(?:\s|\\{1,15}[nrt])`;
const QUOTE = String.raw`(?:\\{0,15}["'])?`;
const COLON = String.raw`${QUOTE}[ \t]{0,4}:[ \t]{0,4}`;
/** Arguments of a command before the flag. */
const ARGUMENTS = String.raw`(?:[ \t][^\n|;&"'\x60]{0,200}?)?[ \t]`;

const RULES: readonly PairRule[] = [
  {
    hint: /ENV[ \t]/,
    lead: /(?:^|\n|\\n)[ \t]{0,16}(?:ONBUILD[ \t]{1,4})?ENV[ \t]{1,8}(?<id>[A-Za-z_]\w{2,63})[ \t]{1,8}(?=[^\s=])/g,
    place: 'alone',
  },
  {
    hint: /name\\{0,15}["']?[ \t]{0,4}:/,
    lead: new RegExp(
      `\\bname${COLON}${QUOTE}(?<id>[A-Za-z_][\\w.-]{2,63})${QUOTE}[ \\t]{0,4},?${BREAK}{0,64}${QUOTE}value${COLON}`,
      'g',
    ),
  },
  {
    hint: /machine/,
    lead: new RegExp(
      `(?:(?<!\\w)|(?<=\\\\n))machine${BREAK}{1,16}[\\w.:-]{1,128}${BREAK}{1,16}login${BREAK}{1,16}[^\\s\\\\"']{1,128}${BREAK}{1,16}password[ \\t]{1,16}`,
      'g',
    ),
    place: 'alone',
  },
  {
    hint: /[ \t]-p/,
    lead: new RegExp(
      `(?:(?:docker|podman|nerdctl|buildah|oras|registry)[ \\t]{1,4}login${ARGUMENTS}-p[ \\t=]{1,4}|sshpass[ \\t]{1,4}-p[ \\t]{0,4}|(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|mariadb-admin)${ARGUMENTS}-p(?=\\S))`,
      'g',
    ),
  },
];

/** Returns every credential that a rule of `RULES` finds in the text. */
export function findPairedValues(text: string): readonly SecretShape[] {
  return RULES.flatMap((rule) => (rule.hint.test(text) ? valuesBehind(text, rule) : []));
}

function valuesBehind(text: string, { lead, place = 'text' }: PairRule): readonly SecretShape[] {
  const found: SecretShape[] = [];
  for (const { 0: before, index, groups } of text.matchAll(lead)) {
    const name = groups?.['id'] ?? 'password';
    const kind = credentialKind(name);
    if (kind === undefined) continue;
    const { start, end, quote } = readValue(text, index + before.length, place);
    const value = text.slice(start, end);
    const strict = groups?.['id'] === undefined || /^[A-Z][A-Z0-9_]*$/.test(name);
    const code = strict ? isPath(value) || isWholeCode(text, start) : isExpression(value);
    if (isPairCredential(value, { name, kind, strict, isBare: quote === '', code }))
      found.push({ from: index, start, end, name });
  }
  return found;
}

interface ValuePlace {
  readonly name: string;
  readonly kind: CredentialKind;
  /** True if the text at this place can only be a credential. */
  readonly strict: boolean;
  readonly isBare: boolean;
  /** True if the value would be code without quotes around it. */
  readonly code: boolean;
}

function isPairCredential(value: string, { name, kind, strict, isBare, code }: ValuePlace): boolean {
  if (value.length < 4 || /\\[nrt]/.test(value) || kind === 'login') return false;
  if (isPlaceholder(value, name) || isReference(value) || (isBare && code)) return false;
  if (kind === 'key') return strict && isRandom(value);
  if (strict) return kind === 'password' || !/\s/.test(value);
  const grade = gradeOf(value);
  return (
    !isBare && !/\s/.test(value) && (kind === 'password' ? grade !== 'plain' : grade === 'mixed' && value.length >= 8)
  );
}
