// Decodes the bytes of a text. The encoding is that of a byte order mark, of the header, or of the document itself, in
// this order, as in browsers.

/** A decoded text. */
export interface DecodedText {
  readonly text: string;
  /** Encoding that the server or the document names, if it is not known. The text was then decoded as UTF-8. */
  readonly unknown?: string;
}

/** Number of bytes at the start of a document in which its encoding is searched for. */
const HEAD = 2_048;

/** Matches the encoding in an HTML `meta` element or in an XML declaration. */
const IN_DOCUMENT =
  /<meta[^>]{1,500}?charset\s*=\s*["']?\s*([\w.:-]{1,40})|^\s*<\?xml[^>]{1,200}encoding\s*=\s*["']([\w.:-]{1,40})/i;

/** Decodes a text with the encoding that its bytes, its content type or the document name. The default is UTF-8. */
export function decodeText(body: Buffer, contentType: string): DecodedText {
  const label = markOf(body) ?? inHeader(contentType) ?? inDocument(body) ?? 'utf-8';
  const decoder = decoderFor(label);
  return decoder === undefined
    ? { text: new TextDecoder().decode(body), unknown: label.slice(0, 40) }
    : { text: decoder.decode(body) };
}

/** Returns true if the bytes are not a text: they contain a zero byte and are not UTF-16. */
export function isBinary(body: Buffer, contentType: string): boolean {
  const label = markOf(body) ?? inHeader(contentType) ?? '';
  return !/^(utf-?16|ucs-2|unicode)/i.test(label) && body.subarray(0, 8_192).includes(0);
}

function markOf(body: Buffer): string | undefined {
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 'utf-8' : undefined;
}

function inHeader(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(contentType)?.[1];
}

function inDocument(body: Buffer): string | undefined {
  const found = IN_DOCUMENT.exec(body.toString('latin1', 0, HEAD));
  const label = found?.[1] ?? found?.[2];
  // The label was found by reading single bytes, so the document is not UTF-16. Browsers use UTF-8 instead.
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label;
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}
