// Reads the text of a PDF. A PDF is hostile input, so it is read in a process of its own: without the variables and the
// files of this process, and with limits on time, memory and output. The process ends with the call.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PAGE_READER } from './page-reader.ts';
import { PdfError } from './pdf-error.ts';

/** Pages to read. */
export interface PdfRequest {
  /** Number of the first page, starting at 1. Default: 1. */
  readonly from?: number;
  /** No further page is read after this number of characters. Default: 100,000. */
  readonly characters?: number;
  readonly signal: AbortSignal;
  /** Time limit in milliseconds. Default: 30,000. */
  readonly patienceMs?: number;
}

/** Text of consecutive pages of a PDF. */
export interface PdfText {
  /** Number of pages of the whole PDF. */
  readonly pages: number;
  readonly texts: readonly PdfPage[];
}

/** Text of one page. */
export interface PdfPage {
  /** Number of the page, starting at 1. */
  readonly number: number;
  /** Empty if the page has no text, such as a scanned page. */
  readonly text: string;
  /** Reason why the page could not be read, or was read in part. */
  readonly problem?: string;
}

/** Maximum size of a PDF in bytes. */
export const LARGEST_PDF: number = 64 * 1024 * 1024;
/** Maximum number of characters of one page. */
const LONGEST_PAGE = 500_000;
/** Default of `PdfRequest.characters`. */
const CHARACTERS = 100_000;
/** Default of `PdfRequest.patienceMs`. */
const PATIENCE_MS = 30_000;
/** Maximum number of bytes that the reader may write. JSON needs at most six bytes for a character. */
const MOST_OUTPUT = 16 * 1024 * 1024;
/** Limit of the address space, in KiB. Node itself needs about 1 GiB of it. */
const MEMORY_KIB = 3 * 1024 * 1024;
/** Limit of the JavaScript heap, in MiB. */
const HEAP_MIB = 768;
/** Seconds of processor time. The limit ends the reader if this process is killed and cannot end it. */
const PROCESSOR_S = 60;

const LIMITS = `ulimit -v ${MEMORY_KIB} 2>/dev/null; ulimit -t ${PROCESSOR_S} 2>/dev/null; exec "$0" "$@"`;

/** Returns the line before the text of a page: its number, and the reason if it has no text. */
export function pageHeading({ number, text, problem }: PdfPage, pages: number): string {
  const remark = problem ?? (text.trim() === '' ? 'no text, perhaps a scanned image' : undefined);
  return `[page ${number} of ${pages}${remark === undefined ? '' : `: ${remark}`}]`;
}

/** Returns true if a file with this beginning is a PDF. */
export function isPdf(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, 5)).toString('latin1') === '%PDF-';
}

/**
 * Reads the text of a PDF, page by page. Pages without text have an empty text.
 *
 * @throws PdfError `pdf/encrypted`, `pdf/damaged`, `pdf/no-such-page`, `pdf/too-large`, `pdf/over-limit` if the PDF needs
 *   too much time or memory, `pdf/unavailable` if the reader cannot run. Throws the reason of the signal if it aborts.
 */
export async function readPdf(bytes: Uint8Array, request: PdfRequest): Promise<PdfText> {
  const { from = 1, characters = CHARACTERS, signal, patienceMs = PATIENCE_MS } = request;
  signal.throwIfAborted();
  if (bytes.length > LARGEST_PDF)
    throw new PdfError(
      'pdf/too-large',
      `The PDF has ${bytes.length} bytes, and the maximum is ${LARGEST_PDF}. Read a part of it.`,
    );
  const reader = startReader(from, characters);
  const late = AbortSignal.timeout(patienceMs);
  const stop = AbortSignal.any([signal, late]);
  const kill = (): void => void reader.kill('SIGKILL');
  stop.addEventListener('abort', kill, { once: true });
  const exited = new Promise<void>((resolve, reject) => {
    reader.once('close', () => resolve());
    reader.once('error', (cause) => reject(unavailable(cause)));
  });
  try {
    const [read] = await Promise.all([takeLines(reader, from), exited, sendBytes(reader, bytes)]);
    signal.throwIfAborted();
    if (read.failure !== undefined) throw read.failure;
    if (read.done) return { pages: read.pages, texts: read.texts };
    return stoppedAt(read, overLimit(late.aborted, patienceMs));
  } finally {
    stop.removeEventListener('abort', kill);
    kill();
  }
}

/** Returns the pages that were read before a limit ended the reader. The page at the limit has only a problem. */
function stoppedAt({ pages, texts }: Lines, error: PdfError): PdfText {
  const last = texts.at(-1)?.number;
  if (last === undefined || last >= pages) throw error;
  return { pages, texts: [...texts, { number: last + 1, text: '', problem: error.message }] };
}

/** Returns the path of the library. A bundled program does not contain it. */
function libraryPath(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('unpdf')), 'pdfjs.mjs');
  } catch (cause) {
    const message = 'A PDF cannot be read, because the package unpdf is not installed. Convert it to text first.';
    throw new PdfError('pdf/unavailable', message, {}, cause);
  }
}

function startReader(from: number, characters: number): ChildProcess {
  if ('bun' in process.versions || 'deno' in process.versions)
    throw new PdfError('pdf/unavailable', 'A PDF can only be read if Tidemark runs in Node. Convert it to text first.');
  const library = libraryPath();
  const node = [
    process.execPath,
    '--permission',
    `--allow-fs-read=${join(dirname(library), '*')}`,
    `--max-old-space-size=${HEAP_MIB}`,
    '--disable-wasm-trap-handler',
    '--input-type=module',
    '-e',
    PAGE_READER,
    '--',
    library,
    String(from),
    String(characters),
    String(LONGEST_PAGE),
  ];
  const { SystemRoot } = process.env;
  const isWindows = process.platform === 'win32';
  const [program = '', ...argv] = isWindows ? node : ['/bin/sh', '-c', LIMITS, ...node];
  return spawn(program, argv, {
    cwd: dirname(library),
    env: isWindows && SystemRoot !== undefined ? { SystemRoot } : {},
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
}

/** Sends the PDF. The reader may end before it has read everything, which is not an error of the sender. */
async function sendBytes({ stdin }: ChildProcess, bytes: Uint8Array): Promise<void> {
  stdin?.on('error', () => undefined);
  stdin?.end(bytes);
}

interface Lines {
  readonly pages: number;
  readonly texts: readonly PdfPage[];
  readonly done: boolean;
  readonly failure: PdfError | undefined;
}

async function takeLines(reader: ChildProcess, from: number): Promise<Lines> {
  const texts: PdfPage[] = [];
  let pages = 0;
  let done = false;
  let failure: PdfError | undefined;
  for (const line of (await outputOf(reader)).split('\n')) {
    const fields = readLine(line);
    if (typeof fields['pages'] === 'number') pages = fields['pages'];
    else if (fields['done'] === true) done = true;
    else if (typeof fields['number'] === 'number') texts.push(pageOf(fields['number'], fields));
    else if (typeof fields['error'] === 'string') failure ??= failureOf(fields['error'], String(fields['message']));
  }
  if (done && from > pages) failure ??= noSuchPage(from, pages);
  return { pages, texts, done, failure };
}

/** Returns everything that the reader writes. Ends the reader if this is more than the limit. */
async function outputOf(reader: ChildProcess): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  reader.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MOST_OUTPUT) reader.kill('SIGKILL');
    else chunks.push(chunk);
  });
  await new Promise((resolve) => reader.once('close', resolve).once('error', resolve));
  return Buffer.concat(chunks).toString();
}

/** Returns the fields of a line. A line that is not a JSON object, such as one that was cut off, has none. */
function readLine(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
  } catch {
    return {};
  }
}

function pageOf(number: number, { text, cut, error, message }: Readonly<Record<string, unknown>>): PdfPage {
  if (typeof text !== 'string')
    return { number, text: '', problem: `this page could not be read (${String(message ?? error)})` };
  return cut === true
    ? { number, text, problem: `only the first ${LONGEST_PAGE} characters of this page are shown` }
    : { number, text };
}

function failureOf(name: string, message: string): PdfError {
  if (name === 'PasswordException')
    return new PdfError('pdf/encrypted', 'The PDF is encrypted with a password. Ask the user for a copy without one.');
  return new PdfError('pdf/damaged', `The PDF is damaged and cannot be read (${message}). Look for another copy.`);
}

function noSuchPage(from: number, pages: number): PdfError {
  const message = `The PDF has ${pages} ${pages === 1 ? 'page' : 'pages'}; page ${from} is after its end. Read an earlier page.`;
  return new PdfError('pdf/no-such-page', message, { pages, page: from });
}

function overLimit(isLate: boolean, patienceMs: number): PdfError {
  const what = isLate ? `more than ${patienceMs / 1_000} s` : 'too much memory or processor time';
  return new PdfError(
    'pdf/over-limit',
    `Reading this page of the PDF takes ${what}, so it was stopped. Read another page, or convert the PDF to text first.`,
  );
}

function unavailable(cause: unknown): PdfError {
  return new PdfError(
    'pdf/unavailable',
    'The process that reads a PDF could not start. Convert the PDF to text first.',
    {},
    cause,
  );
}
