// Turns the answer of a server into text for a model, or into an image.

import type { ToolImage } from '@tidemark/agent';
import { imageKind } from '@tidemark/model';
import { pageHeading, PdfError, readPdf } from '@tidemark/pdf';

import { decodeText } from '../document/charset.ts';
import { convertHtml } from '../document/convert-html.ts';
import type { MarkdownPage } from '../document/html-to-markdown.ts';
import { mediaKind, mediaType } from '../document/media-kind.ts';
import type { WebReply } from '../transport/exchange.ts';
import { WebError } from '../web-error.ts';

/** Content of an answer for a model. */
export interface WebDocument {
  readonly text: string;
  readonly image?: ToolImage;
  /** Media type, and the form in which it is shown. */
  readonly type: string;
  readonly title: string;
  readonly notes: readonly string[];
}

/**
 * Returns the content of an answer. HTML becomes Markdown, unless its source is requested, and a PDF becomes text. Other
 * text is not changed.
 *
 * @throws WebError `web/not-text`, `web/unreadable`.
 */
export async function readDocument(reply: WebReply, raw: boolean, signal: AbortSignal): Promise<WebDocument> {
  const { body, contentType, cut } = reply;
  const kind = mediaKind(body, contentType);
  const type = mediaType(contentType);
  if (kind === 'image') return imageOf(reply);
  if (kind === 'pdf') return await pdfOf(reply, signal);
  if (kind === 'other') throw notText(reply, type || 'a binary file');
  const { text, unknown } = decodeText(body, contentType);
  const notes = [
    ...(cut ? [`only the first ${body.length} bytes were downloaded, because the file is larger`] : []),
    ...(unknown === undefined
      ? []
      : [`the encoding ${JSON.stringify(unknown)} is not known, so the text was read as UTF-8`]),
  ];
  if (kind === 'text' || raw) return { text, type: type || 'text', title: '', notes };
  const page = await convertHtml({ html: text, address: reply.url.href }, signal);
  return {
    text: page.text,
    type: `${type || 'text/html'} ${FORM[page.part]}`,
    title: page.title,
    notes: [...notes, ...notesOf(page)],
  };
}

const FORM: Readonly<Record<MarkdownPage['part'], string>> = {
  main: 'as Markdown, main part',
  whole: 'as Markdown, without menus',
  plain: 'as plain text',
};

function notesOf({ text, part }: MarkdownPage): readonly string[] {
  if (text === '') return ['the page has no text without its scripts, which are not run'];
  if (part === 'plain') return ['the page could not be converted to Markdown'];
  return part === 'main' ? ['parts around the main part are left out; raw returns the source'] : [];
}

function imageOf(reply: WebReply): WebDocument {
  const { body, cut } = reply;
  const kind = imageKind(body);
  if (kind === undefined || cut) throw notText(reply, 'an image that is too large');
  const { mediaType: type } = kind;
  return { text: '', image: { data: new Uint8Array(body), mediaType: type }, type, title: '', notes: [] };
}

/** Maximum number of characters that are read of a PDF. */
const PDF_CHARACTERS = 1_000_000;

async function pdfOf(reply: WebReply, signal: AbortSignal): Promise<WebDocument> {
  const { body, url, cut } = reply;
  if (cut) throw notText(reply, 'a PDF that is too large');
  try {
    const { pages, texts } = await readPdf(body, { characters: PDF_CHARACTERS, signal });
    const notes = texts.length < pages ? [`only the pages 1 to ${texts.length} of ${pages} were read`] : [];
    const text = texts.map((page) => `${pageHeading(page, pages)}\n${page.text.trim()}`).join('\n\n');
    return { text, type: 'application/pdf as text', title: '', notes };
  } catch (cause) {
    if (!(cause instanceof PdfError)) throw cause;
    throw new WebError('web/not-text', `${url.href} cannot be read: ${cause.message}`, { host: url.host }, cause);
  }
}

function notText({ url }: WebReply, what: string): WebError {
  return new WebError(
    'web/not-text',
    `${url.href} is ${what}, which cannot be shown as text. Look for the same content as a page.`,
    { host: url.host },
  );
}
