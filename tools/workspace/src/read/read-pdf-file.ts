// Reads the text of a PDF in the workspace, page by page. Each page begins with a line in brackets that contains its
// number. If one result cannot contain all pages, its last line describes how to read on.

import type { ToolOutput } from '@tidemark/agent';
import { digest } from '@tidemark/log';
import type { PdfErrorCode, PdfText } from '@tidemark/pdf';
import { LARGEST_PDF, pageHeading, PdfError, readPdf } from '@tidemark/pdf';
import { createHash } from 'node:crypto';
import type { WorkspacePlace } from '../confine/confine.ts';
import { fileChunks } from '../confine/file-chunks.ts';
import type { OpenFile } from '../confine/open-file.ts';
import { joinPage } from '../page/describe-page.ts';
import { fitPage } from '../page/fit-page.ts';
import type { PageRequest, RawPage } from '../page/take-page.ts';
import { startPage } from '../page/take-page.ts';
import type { WorkspaceErrorCode } from '../workspace-error.ts';
import { WorkspaceError } from '../workspace-error.ts';

/** Lines to read, counted from the first line of a page of the PDF. */
export interface PdfPageRequest extends PageRequest {
  /** Number of the page, starting at 1. */
  readonly page: number;
}

/**
 * Reads the text of a PDF from a page on.
 *
 * @throws WorkspaceError `workspace/too-large`, `workspace/not-text` for a PDF that is encrypted or damaged,
 *   `workspace/past-the-end`.
 */
export async function readPdfFile(
  place: WorkspacePlace,
  { handle, stats }: Pick<OpenFile, 'handle' | 'stats'>,
  request: PdfPageRequest,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const { shown } = place;
  if (stats.size > BigInt(LARGEST_PDF)) throw tooLarge(shown, stats.size);
  const chunks: Buffer[] = [];
  for await (const chunk of fileChunks(handle, signal)) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  const pdf = await textOfPdf(shown, bytes, request.page, signal);
  const { text, starts } = linesOf(pdf);
  const page = startPage(request);
  page.take(Buffer.from(text));
  const { total } = page.finish();
  if (request.offset > total) throw pastTheEnd(shown, request, total);
  return {
    page: fitPage(page, (raw) => describe(raw, { pdf, starts, request })),
    files: [
      {
        path: place.path,
        digest: digest(createHash('sha256').update(bytes).digest('hex')),
        as: 'read',
        shows: 'other-form',
      },
    ],
  };
}

async function textOfPdf(shown: string, bytes: Buffer, from: number, signal: AbortSignal): Promise<PdfText> {
  try {
    return await readPdf(bytes, { from, signal });
  } catch (cause) {
    if (!(cause instanceof PdfError)) throw cause;
    throw new WorkspaceError(codeOf(cause.code), `${shown}: ${cause.message}`, { path: shown }, cause);
  }
}

function codeOf(code: PdfErrorCode): WorkspaceErrorCode {
  if (code === 'pdf/no-such-page') return 'workspace/past-the-end';
  return code === 'pdf/too-large' || code === 'pdf/over-limit' ? 'workspace/too-large' : 'workspace/not-text';
}

interface PdfLines {
  readonly text: string;
  /** First line of each page that was read, starting at 1. */
  readonly starts: readonly number[];
}

function linesOf({ pages, texts }: PdfText): PdfLines {
  const starts: number[] = [];
  let text = '';
  let lines = 0;
  for (const page of texts) {
    const block = `${pageHeading(page, pages)}\n${page.text}${page.text === '' || page.text.endsWith('\n') ? '' : '\n'}`;
    starts.push(lines + 1);
    text += block;
    lines += block.split('\n').length - 1;
  }
  return { text, starts };
}

interface PdfView extends Pick<PdfLines, 'starts'> {
  readonly pdf: PdfText;
  readonly request: PdfPageRequest;
}

function describe(raw: RawPage, view: PdfView): string {
  const { pdf, request } = view;
  const text = new TextDecoder().decode(raw.bytes);
  const notes = [raw.cut ? nextPart(raw, request) : nextPage(raw, view)].filter((note) => note !== undefined);
  const scanned = pdf.texts.every((page) => page.text.trim() === '' && page.problem === undefined);
  const advice = 'these pages have no text. To read a scanned page, convert it to an image with `bash`';
  return joinPage({ text, notes: [...(scanned ? [advice] : []), ...notes] });
}

/** Returns the note about a line that is longer than a page. */
function nextPart({ bytes, request: { offset, skipBytes } }: RawPage, { page }: PdfPageRequest): string {
  return `read on with page ${page}, offset ${offset} and skip_bytes ${skipBytes + bytes.length}`;
}

/** Returns the note about the lines after the shown ones, or `undefined` at the end of the PDF. */
function nextPage({ lines, total }: RawPage, { pdf, starts, request }: PdfView): string | undefined {
  const next = request.offset + lines;
  const at = starts.findLastIndex((start) => start <= next);
  const page = request.page + at;
  if (next > total) {
    const after = request.page + starts.length;
    return after > pdf.pages ? undefined : `read on with page ${after}`;
  }
  const offset = next - (starts[at] ?? 1) + 1;
  return offset === 1 ? `read on with page ${page}` : `read on with page ${page} and offset ${offset}`;
}

function tooLarge(shown: string, size: bigint): WorkspaceError {
  const message = `${shown} has ${size} bytes, and the maximum for a PDF is ${LARGEST_PDF}. Extract a part of it with \`bash\`.`;
  return new WorkspaceError('workspace/too-large', message, { path: shown });
}

function pastTheEnd(shown: string, { offset, page }: PdfPageRequest, total: number): WorkspaceError {
  const message = `The text that was read of ${shown} from page ${page} on has ${total} lines; line ${offset} is after its end. Read a later page with \`page\`.`;
  return new WorkspaceError('workspace/past-the-end', message, { lines: total, offset });
}
