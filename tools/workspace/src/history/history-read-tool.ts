// `history_read` tool: shows records of the session's own log again. Records that a checkpoint replaced remain
// readable. Parts that a result no longer shows also remain readable (L6).

import type { PageMaker, Tool, ToolContext, ToolImage, ToolOutput } from '@tidemark/agent';
import type { ContentPart, Digest, ImagePart, Recorded } from '@tidemark/log';
import { z } from 'zod';
import { argumentsOf, isProblem } from '../door/arguments.ts';
import { PAGE_BYTES } from '../page/take-page.ts';
import { WorkspaceError } from '../workspace-error.ts';
import { cutText } from './cut-text.ts';
import { headOf, sayRecord } from './say-record.ts';

const ARGUMENTS = argumentsOf(
  z.strictObject({
    position: z.int().min(0).describe('Position of the record'),
    to: z.int().min(0).optional().describe('Last position of a range; then at most 4000 characters per record'),
    part: z.int().min(0).optional().describe('Only this part of the record, from 0; an image is shown'),
  }),
);

const DESCRIPTION =
  'Reads earlier records of this session by position: prompts, answers, results, notes and checkpoints, including those no longer in your context. To find a position, use history_search.';

/** Maximum number of UTF-16 units shown per record of a range. */
const IN_RANGE = 4_000;

/** Smallest number of UTF-16 units shown per record of a range. It is used if the result has little free space. */
const MIN_IN_RANGE = 250;

/**
 * Creates the tool `history_read`, with effect class `none`. It reads the session's own log and the logs of its
 * ancestors.
 */
export function createHistoryReadTool(): Tool {
  return {
    name: 'history_read',
    description: DESCRIPTION,
    schema: ARGUMENTS.schema,
    earlier: ['a443ad51af475a33fb088325413fb68c39343c3bbd68593f3ada7eaa1ae1298b'],
    effect: 'none',
    read(input) {
      const asked = ARGUMENTS.read(input);
      if (isProblem(asked)) return asked;
      const { position, to, part } = asked;
      if (to !== undefined && to < position)
        return {
          problem: `\`to\` (${to}) is before \`position\` (${position}). Pass a later position, or omit \`to\`.`,
        };
      return {
        title: `history_read ${position}${to === undefined ? '' : `-${to}`}`,
        run: (context) =>
          to === undefined || to === position ? readOne(position, part, context) : readRange(position, to, context),
      };
    },
  };
}

async function readOne(position: number, part: number | undefined, context: ToolContext): Promise<ToolOutput> {
  const [record] = await all(context.history.read(position, position + 1));
  if (record === undefined) throw noPosition(position, context);
  const rendered = sayRecord(record);
  if (rendered === undefined) return { text: `#${position} ${kindOf(record)}: this record was not shown to a model.` };
  if (part === undefined) return { text: [headOf(record, rendered), ...rendered.parts].join('\n') };
  const text = rendered.parts[part];
  if (text === undefined) throw noPart(position, part, rendered.parts.length);
  const image = contentOf(record)[part];
  if (image?.type !== 'image') return { text: [headOf(record, rendered), text].join('\n') };
  return { text: headOf(record, rendered), images: [await loadImage(image, context)] };
}

async function readRange(from: number, to: number, context: ToolContext): Promise<ToolOutput> {
  const { length } = context.history;
  if (from >= length) throw noPosition(from, context);
  const found: RangeRecord[] = [];
  let bytes = 0;
  let more: number | undefined;
  for await (const record of context.history.read(from, Math.min(to + 1, length))) {
    context.signal.throwIfAborted();
    const rendered = sayRecord(record);
    if (rendered === undefined) continue;
    const { position } = record;
    const one = { position, head: headOf(record, rendered), text: rendered.parts.join('\n') };
    bytes += Buffer.byteLength(recordText(one, IN_RANGE));
    if (bytes > PAGE_BYTES && found.length > 0) {
      more = position;
      break;
    }
    found.push(one);
  }
  return { page: fitRange(found, { to, more, length }) };
}

interface RangeRecord {
  readonly position: number;
  readonly head: string;
  readonly text: string;
}

interface RangeEnd {
  readonly to: number;
  /** Position of the first record that was not collected. `undefined` if the whole range was collected. */
  readonly more: number | undefined;
  /** Number of records in the log. */
  readonly length: number;
}

/**
 * Returns a function that shows as many records as fit into the result. If one record is too long, the function shows
 * only a part of it, from its beginning.
 */
function fitRange(found: readonly RangeRecord[], end: RangeEnd): PageMaker {
  return async (room, measure) => {
    let count = found.length;
    let characters = IN_RANGE;
    for (;;) {
      const text = rangeText(found.slice(0, count), characters, { ...end, more: found[count]?.position ?? end.more });
      const shown = await measure(text);
      const share = Math.min(room.bytes / shown.bytes, room.lines / shown.lines);
      if (share >= 1 || (count <= 1 && characters <= MIN_IN_RANGE)) return text;
      if (count > 1) count = Math.max(1, Math.min(count - 1, Math.floor(count * share)));
      else characters = Math.max(MIN_IN_RANGE, Math.floor(characters / 2));
    }
  };
}

function rangeText(records: readonly RangeRecord[], characters: number, { to, more, length }: RangeEnd): string {
  const shown = records.map((record) => recordText(record, characters));
  const nothing = shown.length === 0 ? ['[no record of this range was shown to a model]'] : [];
  if (more !== undefined) return [...shown, `[read on with position ${more} and to ${to}]`].join('\n\n');
  return [...shown, ...nothing, ...(to >= length ? [`[the log ends at position ${length - 1}]`] : [])].join('\n\n');
}

function recordText({ position, head, text }: RangeRecord, characters: number): string {
  if (text.length <= characters) return `${head}\n${text}`;
  const shown = cutText(text, characters);
  return `${head}\n${shown}\n[${shown.length} of ${text.length} characters; to read all of it, pass only position ${position}]`;
}

function kindOf(record: Recorded): string {
  return record.kind === 'unknown' ? record.name : record.kind;
}

function contentOf(record: Recorded): readonly ContentPart[] {
  switch (record.kind) {
    case 'prompt.given':
    case 'tool.returned':
    case 'tool.failed':
      return record.data.parts;
    default:
      return [];
  }
}

async function loadImage(
  { artifact, type: _image, bytes: _size, ...image }: ImagePart<Digest>,
  context: ToolContext,
): Promise<ToolImage> {
  return { ...image, data: Buffer.concat(await all(context.history.artifact(artifact))) };
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const held: T[] = [];
  for await (const item of items) held.push(item);
  return held;
}

function noPosition(position: number, { history }: ToolContext): WorkspaceError {
  return new WorkspaceError(
    'workspace/no-record',
    `this session has no position ${position}: use a position from 0 to ${history.length - 1}`,
    { position, length: history.length },
  );
}

function noPart(position: number, part: number, parts: number): WorkspaceError {
  const has = parts === 0 ? 'it has no parts, so omit part' : `use a part from 0 to ${parts - 1}`;
  return new WorkspaceError('workspace/no-record', `position ${position} has no part ${part}: ${has}`, {
    position,
    part,
  });
}
