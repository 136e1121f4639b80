// The forms in which a value leaks most easily: as it stands, quoted for a shell or YAML, escaped for JSON once and twice,
// for HTML and for a URL, and in base64, of its own or inside something longer (`Basic` of `user:value`).

/** Each form is as long as the shortest value at least, so that none is found by chance. */
const SHORTEST = 12;

/** Every form of this value, each once. */
export function formsOf(value: string): readonly string[] {
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
