// Masks text that arrives in pieces. The text is searched in windows. The borders of the windows depend only on the
// text. The result is therefore always the same and does not depend on the pieces. Each window is longer than any
// secret.

import { LONGEST_SHAPE, findShapes } from './find-shapes.ts';

/**
 * Masks a text that arrives in pieces. `push` returns the next part of the masked text, which may be empty. `end`
 * returns the last part.
 */
interface Masker {
  push(text: string): Promise<string>;
  end(): Promise<string>;
}

export interface Sought {
  /** Pattern that matches every form of every secret, longest form first. `undefined` if there are no secrets. */
  readonly forms: RegExp | undefined;
  readonly names: ReadonlyMap<string, string>;
  /** Maximum length of a secret, including a name before it, in characters. */
  readonly reach: number;
  /** Length of a window in characters, at least four times `reach`. */
  readonly window: number;
}

/** Part of a text that is replaced by a placeholder. */
export interface Hit {
  /** Start of the text that identifies the secret, such as the name before it. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

const WINDOW = 8;

/** Prepares a search for all forms of these values and for tokens of well-known formats. */
export function soughtIn(values: readonly SecretValue[]): Sought {
  const names = new Map<string, string>();
  for (const { name, value } of values) {
    for (const form of formsOf(value)) if (!names.has(form)) names.set(form, name);
  }
  const forms = [...names.keys()].toSorted((a, b) => b.length - a.length);
  const reach = Math.max(LONGEST_SHAPE, forms[0]?.length ?? 0);
  return {
    forms: forms.length === 0 ? undefined : new RegExp(forms.map(literal).join('|'), 'g'),
    names,
    reach,
    window: WINDOW * reach,
  };
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** Returns a masker for a new text. It keeps at most one window of text that it has not returned yet. */
export function createMasker(sought: Sought): Masker {
  const { window, reach } = sought;
  let pending = '';
  let withinLine = false;
  const take = async (text: string, cut: number): Promise<string> => {
    const found = await hitsIn(text, sought, withinLine);
    // If the name of a secret begins before the cut, the secret is masked in this window. In the next window the secret
    // would have no name, so it would not be found.
    const end = Math.max(cut, ...found.map((hit) => (hit.from < cut ? hit.end : 0)));
    const hits = found.filter(({ start }) => start < end);
    pending = pending.slice(end);
    withinLine = !text.slice(0, end).endsWith('\n');
    return replaceHits(text.slice(0, end), hits);
  };
  return {
    async push(text) {
      pending += text;
      let masked = '';
      while (pending.length >= window) {
        const seen = pending.slice(0, window);
        masked += await take(seen, cutIn(seen, reach));
      }
      return masked;
    },
    end: () => take(pending, pending.length),
  };
}

/**
 * Returns the offset at which a window is cut. If possible, the cut is after a line end. Otherwise it is after a
 * character that cannot be part of a word. At least `reach` characters remain after the cut.
 */
function cutIn(text: string, reach: number): number {
  const from = text.length - 2 * reach;
  const zone = text.slice(from, -reach);
  const line = zone.lastIndexOf('\n');
  if (line !== -1) return from + line + 1;
  const word = /^[^]*[\0-\x2f\x3a-\x40]/.exec(zone);
  if (word !== null) return from + word[0].length;
  return /^[\uDC00-\uDFFF]/.test(zone) ? from + 1 : from;
}

/**
 * Returns the parts to replace, in order and without overlaps. A placeholder stays unchanged and divides the searched
 * text. If a text is masked twice, the second time changes nothing.
 */
export async function hitsIn(text: string, sought: Sought, withinLine: boolean): Promise<readonly Hit[]> {
  const kept = matches(text, 0, text.length, PLACEHOLDER, (found) => found);
  const values = gaps(text, kept).flatMap(([start, end]) =>
    sought.forms === undefined
      ? []
      : matches(text, start, end, sought.forms, (found) => placeholderOf(sought.names.get(found) ?? '')),
  );
  const known = inOrder([...kept, ...values]);
  const shapes: Hit[] = [];
  for (const [start, end] of gaps(text, known))
    shapes.push(...(await shapesIn(text, start, end, start > 0 || withinLine)));
  return inOrder([...known, ...shapes]);
}

function matches(
  text: string,
  start: number,
  end: number,
  pattern: RegExp,
  by: (found: string) => string,
): readonly Hit[] {
  return [...text.slice(start, end).matchAll(pattern)].map(({ 0: found, index }) => ({
    from: start + index,
    start: start + index,
    end: start + index + found.length,
    by: by(found),
  }));
}

/**
 * Returns the shapes between two offsets. Each gap between found shapes is searched again separately, because
 * `findShapes` uses secretlint only if our own rules find nothing.
 */
async function shapesIn(text: string, from: number, to: number, withinLine: boolean): Promise<readonly Hit[]> {
  const hits = (await findShapes(text.slice(from, to), withinLine)).map((shape) => ({
    from: from + shape.from,
    start: from + shape.start,
    end: from + shape.end,
    by: placeholderOf(shape.name),
  }));
  if (hits.length === 0) return [];
  const between: Hit[] = [];
  for (const [start, end] of gaps(text, hits, from, to))
    between.push(...(await shapesIn(text, start, end, start > from || withinLine)));
  return inOrder([...hits, ...between]);
}

function gaps(text: string, hits: readonly Hit[], from = 0, to = text.length): readonly (readonly [number, number])[] {
  const starts = [from, ...hits.map(({ end }) => end)];
  const ends = [...hits.map(({ start }) => start), to];
  return starts
    .map((start, index): readonly [number, number] => [start, ends[index] ?? to])
    .filter(([start, end]) => start < end);
}

function inOrder(hits: readonly Hit[]): readonly Hit[] {
  return hits.toSorted((a, b) => a.start - b.start);
}

/** Returns the text with each part replaced by its placeholder. */
export function replaceHits(text: string, hits: readonly Hit[]): string {
  let masked = '';
  let last = 0;
  for (const { start, end, by } of hits) {
    masked += text.slice(last, start) + by;
    last = end;
  }
  return masked + text.slice(last);
}

/**
 * Minimum length of a form, in characters. Shorter forms are not searched for, because they would match ordinary text
 * by chance.
 */
const SHORTEST = 12;

/**
 * Returns the forms in which this value most likely leaks, without duplicates. The forms are: unchanged, quoted for a
 * shell or YAML, escaped for JSON one time and two times, escaped for HTML and URLs, and base64. The base64 forms also
 * match inside longer encoded text, such as the `Basic` credentials of `user:value`.
 */
function formsOf(value: string): readonly string[] {
  const inJson = jsonForms(value);
  const forms = new Set([
    value,
    ...inJson,
    ...inJson.flatMap(jsonForms),
    ...lineEnds(value),
    ...shellForms(value),
    ...shellForms(value).flatMap(jsonForms),
    value.replaceAll("'", "''"),
    ...htmlForms(value),
    ...urlForms(value.toWellFormed()),
    ...base64Forms(Buffer.from(value)),
  ]);
  return [...forms].filter((form) => form.length >= SHORTEST);
}

function lineEnds(value: string): readonly string[] {
  return value.includes('\n') ? [value.replaceAll(/\r?\n/g, '\r\n'), value.replaceAll('\r\n', '\n')] : [];
}

/**
 * Returns the value escaped for JSON in four ways: as JavaScript does, with escaped slashes (PHP), in ASCII only
 * (Python), and with escaped HTML characters (Go).
 */
function jsonForms(value: string): readonly string[] {
  const text = JSON.stringify(value).slice(1, -1);
  const ascii = text.replaceAll(/[^\0-\x7e]/g, inUnicode);
  return [text, text.replaceAll('/', String.raw`\/`), ascii, ascii.replaceAll(/[<>&]/g, inUnicode)];
}

function inUnicode(character: string): string {
  return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Returns the value in single quotes (`'it'\''s'`, `'it'"'"'s'`), in `$'…'`, in double quotes, and with a backslash
 * before each special character.
 */
function shellForms(value: string): readonly string[] {
  return [
    value.replaceAll("'", String.raw`'\''`),
    value.replaceAll("'", `'"'"'`),
    dollarQuoted(value),
    dollarQuoted(value).replaceAll('"', String.raw`\"`),
    value.replaceAll(/["$`\\]/g, String.raw`\$&`),
    value.replaceAll(/["$`\\!]/g, String.raw`\$&`),
    value.replaceAll(/[^\p{L}\p{N}_@%+=:,./-]/gu, String.raw`\$&`),
    value.replaceAll(/[^\p{L}\p{N}_@%+=:./-]/gu, String.raw`\$&`),
  ];
}

const CONTROLS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '\n': String.raw`\n`,
    '\r': String.raw`\r`,
    '\t': String.raw`\t`,
  }),
);

function dollarQuoted(value: string): string {
  return value
    .replaceAll(/['\\]/g, String.raw`\$&`)
    .replaceAll(/[\n\r\t]/g, (character) => CONTROLS.get(character) ?? character);
}

function htmlForms(value: string): readonly string[] {
  const text = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = text.replaceAll('"', '&quot;');
  return [
    text,
    quoted,
    ...['&#39;', '&#x27;', '&apos;', '&#039;'].flatMap((apostrophe) => [
      quoted.replaceAll("'", apostrophe),
      quoted.replaceAll('&quot;', '&#34;').replaceAll("'", apostrophe),
    ]),
  ];
}

/**
 * Returns the value encoded as a part of a URL, as a form field, with every special character encoded, and as a whole
 * URL.
 */
function urlForms(value: string): readonly string[] {
  const part = encodeURIComponent(value);
  const form = new URLSearchParams({ v: value }).toString().slice('v='.length);
  const strict = part.replaceAll(/[!'()*~._-]/g, percent);
  const rfc = part.replaceAll(/[!'()*]/g, percent);
  return [part, form, strict, rfc, encodeURI(value)].flatMap((one) => [
    one,
    one.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ]);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function base64Forms(value: Buffer): readonly string[] {
  const whole = value.toString('base64');
  const forms = [whole, ...[0, 1, 2].map((shift) => inBase64(value, shift))];
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

/**
 * Returns the base64 characters that depend only on the value. `shift` (0 to 2) is the number of other bytes before the
 * value in a group of three bytes.
 */
function inBase64(value: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), value]).toString('base64');
  return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + value.length) * 8) / 6));
}

/** A secret value, and the name that its placeholder shows. */
export interface SecretValue {
  readonly name: string;
  readonly value: string;
}

/** Minimum length of a value in characters. Ordinary text could contain a shorter value by chance. */
const SHORTEST_NAMED = 12;

/**
 * Matches a word that marks a name as secret. `TOKEN` or `PASSWORD` may also end a longer word: `AUTHTOKEN`,
 * `PGPASSWORD`. `KEY` must be a separate word, because ordinary words such as `MONKEY` end in it.
 */
const SECRET_WORD =
  /^(?:\w*(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(?:API|ACCESS|SECRET|PRIVATE)KEY)S?|KEYS?|PASS|PWD|CREDS|O?AUTH|AUTHORIZATION|BEARER|JWT)$/;

/** Matches the last word of a name whose value is the path of a secret, not the secret itself. */
const PLACE_WORD = /^(?:FILE|PATH|DIR|DIRECTORY|FOLDER|HOME|SOCK|SOCKET)$/;

const PUBLIC_WORD = /^(?:PUBLIC|PUBLISHABLE)$/;

/** Names that contain a secret word but whose value is the path of a file or folder. */
const PATHS: ReadonlySet<string> = new Set(['PWD', 'GOOGLE_APPLICATION_CREDENTIALS']);

/**
 * Returns true if the name of a variable or setting marks its value as secret. The name is split into words: `API_KEY`,
 * `apiKey` and `npm_config__authToken` are secret, but `MONKEY`, `KEYBOARD_LAYOUT`, `AUTHOR` and `SSH_AUTH_SOCK` are
 * not.
 */
export function isSecretName(name: string): boolean {
  if (PATHS.has(name.toUpperCase())) return false;
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .map((word) => word.replace(/\d+$/, ''));
  if (words.some((word) => PUBLIC_WORD.test(word)) || PLACE_WORD.test(words.at(-1) ?? '')) return false;
  return words.some((word) => SECRET_WORD.test(word));
}

/**
 * Returns the secrets among these variables or settings, sorted by name. A secret has a name that `isSecretName`
 * accepts. Its value has at least 12 characters, without white space around it.
 */
export function secretsOf(environment: { readonly [name: string]: string | undefined }): readonly SecretValue[] {
  return Object.entries(environment)
    .flatMap(([name, value]) => (value === undefined ? [] : [{ name, value: value.trim() }]))
    .filter(({ name, value }) => value.length >= SHORTEST_NAMED && isSecretName(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

// Placeholder of a secret. `[secret:GITHUB_TOKEN]` replaces a value and contains the name of its variable.
// `[secret:github]` replaces a token of a well-known format and contains the name of its rule. This form must not
// change, because models have read it and files may contain it.

const LONGEST_NAME = 64;

/**
 * Matches each placeholder of a text. Use it only with `matchAll` and `search`, because other methods would depend on
 * its `lastIndex`.
 */
export const PLACEHOLDER: RegExp = /\[secret:[A-Za-z0-9_.-]{1,64}\]/g;

function placeholderOf(name: string): string {
  return `[secret:${name.slice(0, LONGEST_NAME).replaceAll(/[^A-Za-z0-9_.-]/g, '_') || '_'}]`;
}
