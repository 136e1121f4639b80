// Masks text that comes in pieces. It is read in windows whose places follow from the text alone, so that it makes no
// difference where the pieces were cut; each window reaches further than any secret is long.

import { LONGEST_SHAPE, findShapes } from './find-shapes.ts';

/** Takes a text piece by piece, and gives it back masked. */
interface Masker {
  push(text: string): Promise<string>;
  end(): Promise<string>;
}

/** What a masker looks for. */
interface Sought {
  /** The forms of the values, the longest first; `undefined` when there are none. */
  readonly forms: RegExp | undefined;
  readonly names: ReadonlyMap<string, string>;
  /** Characters that the longest secret has. */
  readonly reach: number;
  /** Characters of a window: four times the reach at least. */
  readonly window: number;
}

/** A part of a text that is replaced. */
interface Hit {
  /** Where that begins by which it was found, such as a name before it. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

const WINDOW = 8;

/** Looks for these values in all their forms, and for tokens of well-known shapes. */
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

/** A masker at the beginning of a text. What it holds back is at most a window. */
export function createMasker(sought: Sought): Masker {
  const { window, reach } = sought;
  let pending = '';
  let withinLine = false;
  const take = async (text: string, cut: number): Promise<string> => {
    const found = await hitsIn(text, sought, withinLine);
    // A secret whose name stands before the cut goes with its name: behind the cut it would have none.
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

/** Where a window ends for good: behind a line, else behind a character of no word, with more than a secret left behind it. */
function cutIn(text: string, reach: number): number {
  const from = text.length - 2 * reach;
  const zone = text.slice(from, -reach);
  const line = zone.lastIndexOf('\n');
  if (line !== -1) return from + line + 1;
  const word = /^[^]*[\0-\x2f\x3a-\x40]/.exec(zone);
  if (word !== null) return from + word[0].length;
  return /^[\uDC00-\uDFFF]/.test(zone) ? from + 1 : from;
}

/** What is replaced, in order and apart. A placeholder is left as it is, and divides what is searched: masking twice changes nothing. */
async function hitsIn(text: string, sought: Sought, withinLine: boolean): Promise<readonly Hit[]> {
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

/** Each gap is searched once more on its own: what stood behind it may have hidden a token. */
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

function replaceHits(text: string, hits: readonly Hit[]): string {
  let masked = '';
  let last = 0;
  for (const { start, end, by } of hits) {
    masked += text.slice(last, start) + by;
    last = end;
  }
  return masked + text.slice(last);
}

/** Each form is as long as the shortest value at least, so that none is found by chance. */
const SHORTEST = 12;

/**
 * Returns the forms in which this value leaks most easily, each once: as it stands, quoted for a shell or YAML, escaped for JSON
 * once and twice, for HTML and for a URL, and in base64, alone or inside something longer (`Basic` of `user:value`).
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

/** As JavaScript writes it, with a slash escaped (PHP), in ASCII alone (Python), and without signs of HTML (Go). */
function jsonForms(value: string): readonly string[] {
  const text = JSON.stringify(value).slice(1, -1);
  const ascii = text.replaceAll(/[^\0-\x7e]/g, inUnicode);
  return [text, text.replaceAll('/', String.raw`\/`), ascii, ascii.replaceAll(/[<>&]/g, inUnicode)];
}

function inUnicode(character: string): string {
  return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** In single quotes (`'it'\''s'`, `'it'"'"'s'`), in `$'…'`, in double quotes, and each sign behind a backslash. */
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

/** With both ways to write each quote. */
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

/** As a part of an address, as a field of a form, with every sign encoded, and as a whole address. */
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

/** The characters that the value alone decides, when so many bytes stand before it in their group of three. */
function inBase64(value: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), value]).toString('base64');
  return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + value.length) * 8) / 6));
}

/** A secret, and the name that stands in its place. */
export interface SecretValue {
  readonly name: string;
  readonly value: string;
}

/** A shorter value would be found by chance in ordinary text. */
const SHORTEST_NAMED = 12;

/** A word of a name that says secret. Glued words count where no ordinary word ends so: `PGPASSWORD`, `AUTHTOKEN`. */
const SECRET_WORD =
  /^(?:\w*(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(?:API|ACCESS|SECRET|PRIVATE)KEY)S?|KEYS?|PASS|PWD|CREDS|O?AUTH|AUTHORIZATION|BEARER|JWT)$/;

/** Such a name tells where a secret lies, not what it is. */
const PLACE_WORD = /^(?:FILE|PATH|DIR|DIRECTORY|FOLDER|HOME|SOCK|SOCKET)$/;

/** Said to be no secret by the name itself. */
const PUBLIC_WORD = /^(?:PUBLIC|PUBLISHABLE)$/;

/** Names that say secret and hold the path of a file or folder. */
const PATHS: ReadonlySet<string> = new Set(['PWD', 'GOOGLE_APPLICATION_CREDENTIALS']);

/**
 * Whether the name of a variable or setting says that its value is secret. It is read in words: `API_KEY`, `apiKey` and
 * `npm_config__authToken` are secret; `MONKEY`, `KEYBOARD_LAYOUT`, `AUTHOR` and `SSH_AUTH_SOCK` are not.
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

/** The secrets among these variables or settings: named so, and of 12 characters or more. In the order of their names. */
export function secretsOf(environment: { readonly [name: string]: string | undefined }): readonly SecretValue[] {
  return Object.entries(environment)
    .flatMap(([name, value]) => (value === undefined ? [] : [{ name, value: value.trim() }]))
    .filter(({ name, value }) => value.length >= SHORTEST_NAMED && isSecretName(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

// The placeholder of a secret: `[secret:GITHUB_TOKEN]` for a value, by the name of its variable, and `[secret:github]` for a
// token of a well-known shape, by its rule. Models have read this form and files may hold it, so it does not change.

const LONGEST_NAME = 64;

/** Matches each placeholder of a text. Not sticky: only for `matchAll` and `search`. */
export const PLACEHOLDER: RegExp = /\[secret:[A-Za-z0-9_.-]{1,64}\]/g;

/** The placeholder of this name; what the form has no room for becomes `_`. */
function placeholderOf(name: string): string {
  return `[secret:${name.slice(0, LONGEST_NAME).replaceAll(/[^A-Za-z0-9_.-]/g, '_') || '_'}]`;
}
