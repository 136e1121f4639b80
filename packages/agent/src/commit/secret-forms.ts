// The forms in which a value leaks most easily: as it stands, escaped for JSON, encoded for a URL, and in base64, of its
// own or inside something longer (`Basic` of `user:value`).

/** Each form is as long as the shortest value at least, so that none is found by chance. */
const SHORTEST = 12;

/** Every form of this value, each once. */
export function formsOf(value: string): readonly string[] {
  const forms = new Set([
    value,
    JSON.stringify(value).slice(1, -1),
    ...lineEnds(value),
    ...urlForms(value.toWellFormed()),
    ...base64Forms(Buffer.from(value)),
  ]);
  return [...forms].filter((form) => form.length >= SHORTEST);
}

function lineEnds(value: string): readonly string[] {
  return value.includes('\n') ? [value.replaceAll(/\r?\n/g, '\r\n'), value.replaceAll('\r\n', '\n')] : [];
}

function urlForms(value: string): readonly string[] {
  const escaped = encodeURIComponent(value);
  const form = new URLSearchParams({ v: value }).toString().slice('v='.length);
  return [escaped, form].flatMap((one) => [one, one.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]);
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
