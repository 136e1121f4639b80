// `read` tool: shows a file without changes. It adds no line numbers, so the text can be copied into `edit` byte for
// byte and needs no additional tokens. If line numbers are needed, `grep` and the errors of `edit` contain them.

import type { Tool, ToolOutput } from '@tidemark/agent';
import type { FileTouch } from '@tidemark/log';
import { digest } from '@tidemark/log';
import { imageKind } from '@tidemark/model';
import { isPdf } from '@tidemark/pdf';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Confinement, WorkspacePlace } from '../confine/confine.ts';
import { fileChunks } from '../confine/file-chunks.ts';
import type { OpenFile } from '../confine/open-file.ts';
import { openFile } from '../confine/open-file.ts';
import { pathEffects } from '../confine/path-effects.ts';
import { absent } from '../confine/near-names.ts';
import { argumentsOf, isProblem } from '../door/arguments.ts';
import { describePage, joinPage, requireLines } from '../page/describe-page.ts';
import { fitPage } from '../page/fit-page.ts';
import { PAGE_LINES, startPage } from '../page/take-page.ts';
import type { PageRequest, RawPage } from '../page/take-page.ts';
import { MAX_WHOLE } from '../write/current-file.ts';
import { WorkspaceError } from '../workspace-error.ts';
import { readPdfFile } from './read-pdf-file.ts';

const ARGUMENTS = argumentsOf(
  z.strictObject({
    path: z.string().describe('Path relative to the workspace root, or absolute'),
    offset: z.int().min(1).optional().describe('First line to read, from 1'),
    limit: z.int().min(1).optional().describe('Number of lines. Default and maximum: 2000'),
    skip_bytes: z.int().min(0).optional().describe('Bytes to skip at the start of that line'),
    page: z.int().min(1).optional().describe('First page of a PDF; lines are counted from it'),
  }),
);

const DESCRIPTION =
  'Reads a text file, an image (png, jpeg, gif, webp) or the text of a PDF in the workspace. Returns the text without line numbers, at most 2000 lines or 48 KiB a page; its last line, in brackets, tells how to read on. To list a folder, use ls; to search many files, use grep.';

/** Creates the tool `read`, with effect class `read`. It reads only inside the workspace. */
export function createReadTool(confinement: Confinement): Tool {
  return {
    name: 'read',
    description: DESCRIPTION,
    schema: ARGUMENTS.schema,
    earlier: [
      '1792c69d4f6bea013c2bded4fde857a2bd55be078de9cc863daaa1f509a61780',
      'd02314693c551e99dc1e84abbf466469566db30c055bdc0cb711b0f8254d6b0c',
    ],
    effect: 'read',
    effectKinds: ['paths'],
    async read(input) {
      const asked = ARGUMENTS.read(input);
      if (isProblem(asked)) return asked;
      const place = await confinement.placeInside(asked.path);
      if (isProblem(place)) return place;
      const request = {
        offset: asked.offset ?? 1,
        limit: Math.min(asked.limit ?? PAGE_LINES, PAGE_LINES),
        skipBytes: asked.skip_bytes ?? 0,
      };
      return {
        title: `read ${place.shown}`,
        effects: pathEffects(confinement.folder, place),
        run: ({ signal }) => readPlace(place, confinement, { ...request, page: asked.page }, signal),
      };
    },
  };
}

async function readPlace(
  place: WorkspacePlace,
  confinement: Confinement,
  { page, ...request }: PageRequest & { readonly page: number | undefined },
  signal: AbortSignal,
): Promise<ToolOutput> {
  await using file = await openFile(place);
  if (file === undefined) throw await absent(place, confinement);
  const head = await headOf(file);
  if (isPdf(head)) return await readPdfFile(place, file, { ...request, page: page ?? 1 }, signal);
  if (page !== undefined && page > 1) throw notPaged(place);
  if (imageKind(head) !== undefined) return await readImage(place, file, signal);
  if (head.includes(0)) throw binary(place, file, head);
  return await readText(place, file, request, signal);
}

function notPaged({ shown }: WorkspacePlace): WorkspaceError {
  const message = `${shown} is not a PDF, so it has no pages. Use \`offset\` to read a later part of a text.`;
  return new WorkspaceError('workspace/past-the-end', message, { path: shown });
}

async function headOf({ handle }: OpenFile): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(8_192), 0, 8_192, 0);
  return buffer.subarray(0, bytesRead);
}

/**
 * Reads a file of at most `MAX_WHOLE` bytes to its end, even for a single page. The digest of the whole file is used
 * later to detect changes.
 */
async function readText(
  place: WorkspacePlace,
  { handle, stats }: Pick<OpenFile, 'handle' | 'stats'>,
  request: PageRequest,
  signal: AbortSignal,
): Promise<ToolOutput> {
  if (stats.size > BigInt(MAX_WHOLE)) return await readPart(place, { handle, stats }, request, signal);
  const hash = createHash('sha256');
  const page = startPage(request);
  for await (const chunk of fileChunks(handle, signal)) {
    hash.update(chunk);
    page.take(chunk);
  }
  let last = page.finish();
  requireLines(last, place.shown);
  const touch = { path: place.path, digest: digest(hash.digest('hex')), as: 'read' } as const;
  return {
    page: fitPage(page, (raw) => wordsOf((last = raw), place.shown)),
    pageFiles: () => [{ ...touch, ...shownPart(last) }],
  };
}

/** Returns the part of the file that a page shows. If the page shows the whole file, returns nothing. */
function shownPart({ start, bytes, taken }: RawPage): Pick<FileTouch, 'shows'> {
  if (start === 0 && bytes.length === taken) return {};
  return { shows: { from: start, to: start + bytes.length, of: taken } };
}

/**
 * Reads a file above `MAX_WHOLE` only to the end of the page. Such a file has no recorded digest, and `edit` and
 * `write` cannot change it.
 */
async function readPart(
  place: WorkspacePlace,
  { handle, stats }: Pick<OpenFile, 'handle' | 'stats'>,
  request: PageRequest,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const page = startPage(request);
  let bytes = 0;
  for await (const chunk of fileChunks(handle, signal)) {
    page.take(chunk);
    bytes += chunk.length;
    if (page.full() || bytes >= MAX_WHOLE) break;
  }
  if (!page.full()) throw beyondReach(place, stats.size, page.finish().total);
  return { page: fitPage(page, (raw) => wordsOf({ ...raw, wholeBytes: stats.size }, place.shown)) };
}

function beyondReach({ shown }: WorkspacePlace, size: bigint, lines: number): WorkspaceError {
  const message = `${shown} has ${size} bytes. \`read\` reads only the first ${MAX_WHOLE}, which have ${lines} lines, and this page is after them. Read with a smaller offset, search the file with \`grep\`, or extract a part of it with \`bash\`.`;
  return new WorkspaceError('workspace/too-large', message, { path: shown });
}

function wordsOf(raw: RawPage, shown: string): string {
  const { text, notes } = describePage(raw, shown);
  const plain = text.replaceAll('\r\n', '\n');
  const ends = plain === text ? [] : ['lines end in CRLF, which `edit` and `write` keep'];
  return joinPage({ text: plain, notes: [...notes, ...ends] });
}

function binary({ shown }: WorkspacePlace, { stats }: OpenFile, head: Buffer): WorkspaceError {
  const wide = ['fffe', 'feff'].includes(head.toString('hex', 0, 2));
  const what = wide ? 'is text in UTF-16' : 'is binary';
  return new WorkspaceError(
    'workspace/not-text',
    `${shown} ${what} (${stats.size} bytes): \`read\` shows only UTF-8 text and images. Inspect it with \`bash\`${wide ? ' and `iconv`' : ''}.`,
    { path: shown },
  );
}

/** Maximum size of an image in bytes. The whole image is in memory. */
const IMAGE_BYTES: number = 64 * 1024 * 1024;

/**
 * Returns the whole image. The runtime later adapts it to the limits of the provider.
 *
 * @throws WorkspaceError `workspace/too-large` for an image above the size limit, `workspace/not-text` for a damaged
 *   image.
 */
async function readImage(place: WorkspacePlace, { handle, stats }: OpenFile, signal: AbortSignal): Promise<ToolOutput> {
  const { shown } = place;
  if (stats.size > BigInt(IMAGE_BYTES))
    throw tooLarge(shown, `has ${stats.size} bytes, and the maximum for an image is ${IMAGE_BYTES}`);
  const data = Buffer.alloc(Number(stats.size));
  const { bytesRead } = await handle.read(data, 0, data.length, 0);
  signal.throwIfAborted();
  const bytes = data.subarray(0, bytesRead);
  const kind = imageKind(bytes);
  if (kind?.pixels === undefined)
    throw new WorkspaceError(
      'workspace/not-text',
      `${shown} begins like an image, but its header is damaged. Inspect it with \`bash\`.`,
    );
  const { width, height } = kind.pixels;
  return {
    text: `[${shown}: ${kind.mediaType}, ${width} x ${height} pixels, ${bytesRead} bytes]`,
    images: [{ data: bytes, mediaType: kind.mediaType, width, height }],
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

function tooLarge(shown: string, what: string): WorkspaceError {
  return new WorkspaceError(
    'workspace/too-large',
    `${shown} ${what}. Make a smaller copy inside the workspace with \`bash\`, then read the copy.`,
  );
}
