// `write` tool: writes a whole file. The file is either new, or the session has read it.

import type { PreviewContext, Tool, ToolContext, ToolOutput, ToolPreview } from '@tidemark/agent';
import type { Digest } from '@tidemark/log';
import { digest } from '@tidemark/log';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Confinement, WorkspacePlace } from '../confine/confine.ts';
import { isConfined, pathEffects, titleOfWrite } from '../confine/path-effects.ts';
import { argumentsOf, isProblem } from '../door/arguments.ts';
import type { CurrentFile } from './current-file.ts';
import { currentFile } from './current-file.ts';
import { keepBefore } from './keep-before.ts';
import { previewChange } from './preview-change.ts';
import { replaceFile } from './replace-file.ts';
import type { Approvable } from './seen-file.ts';
import { assertApproved, assertAsSeen, assertKnown, assertSeen } from './seen-file.ts';
import { showDiff, TOO_LARGE } from './show-diff.ts';
import { inFormOf, textOf } from './text-form.ts';

const ARGUMENTS = argumentsOf(
  z.strictObject({
    path: z.string().describe('Path relative to the workspace root, or absolute'),
    content: z.string().describe('The whole new content'),
  }),
);

const DESCRIPTION =
  'Creates a file and its folders, or replaces a whole file. Read an existing file first: the call fails if you did not, or if the file changed since. Returns the size and the diff. To change part of a file, use edit.';

/** Maximum size in bytes of an old file that is in memory for the diff. A larger file is replaced without a diff. */
const MAX_FOR_DIFF = 1024 * 1024;

/**
 * Creates the tool `write`, with effect class `write`. A path is not `confined` if it is outside the workspace, or if a
 * write to it needs the user's consent.
 */
export function createWriteTool(confinement: Confinement): Tool {
  return {
    name: 'write',
    description: DESCRIPTION,
    schema: ARGUMENTS.schema,
    earlier: ['81386c3a3b18f43135a2067d674c038b1b451bda198c094679e00ca289642680'],
    effect: 'write',
    touches: ['structure', 'content'],
    effectKinds: ['paths'],
    async read(input) {
      const asked = ARGUMENTS.read(input);
      if (isProblem(asked)) return asked;
      const place = await confinement.place(asked.path);
      if (isProblem(place)) return place;
      return {
        title: titleOfWrite('write', place),
        confined: isConfined(place),
        sensitive: place.sensitive ?? false,
        effects: pathEffects(confinement.folder, place),
        preview: (context) => previewWrite(place, asked.content, context),
        run: (context) => writePlace(place, asked.content, context),
      };
    },
  };
}

interface PlannedWrite {
  readonly current: CurrentFile | undefined;
  readonly text: string;
  /** Names of the properties that the new file has in common with the old file, such as CRLF line ends. */
  readonly kept: readonly string[];
}

async function planWrite(place: WorkspacePlace, content: string, context: Approvable): Promise<PlannedWrite> {
  const { signal, fileSeen, approved, undo } = context;
  const current = await currentFile(place, Math.max(MAX_FOR_DIFF, undo?.largest ?? 0), signal);
  assertApproved(place, current, approved);
  if (current === undefined) return { current, text: content, kept: [] };
  const seen = fileSeen(place.path);
  assertSeen(place, current, seen);
  assertAsSeen(place, current, seen);
  const planned = inFormOf(current.form, content);
  if (hashOf(Buffer.from(planned.text)) !== current.digest) assertKnown(place, current, seen);
  return { current, ...planned };
}

async function previewWrite(place: WorkspacePlace, content: string, context: PreviewContext): Promise<ToolPreview> {
  const { current, text } = await planWrite(place, content, context);
  return previewChange({ place, current, after: text });
}

async function writePlace(place: WorkspacePlace, content: string, context: ToolContext): Promise<ToolOutput> {
  const planned = await planWrite(place, content, context);
  const { current } = planned;
  return current === undefined ? create(place, content, context.signal) : overwrite(place, planned, current, context);
}

async function create(place: WorkspacePlace, content: string, signal: AbortSignal): Promise<ToolOutput> {
  const bytes = Buffer.from(content);
  signal.throwIfAborted();
  await replaceFile(place, bytes, undefined);
  return writtenOutput(place, 'absent', bytes, `created ${place.shown}: ${amount(bytes, content)}`);
}

async function overwrite(
  place: WorkspacePlace,
  { text, kept }: PlannedWrite,
  current: CurrentFile,
  context: ToolContext,
): Promise<ToolOutput> {
  const { stats, digest: was } = current;
  const bytes = Buffer.from(text);
  const keptNote = kept.length === 0 ? '' : `; kept its ${kept.join(' and its ')}`;
  if (hashOf(bytes) === was)
    return writtenOutput(place, was, bytes, `${place.shown} already has exactly this content; nothing was written`);
  context.signal.throwIfAborted();
  const before = await keepBefore(place.shown, current, context);
  await replaceFile(place, bytes, stats);
  const diff = await diffOf(stats.size <= MAX_FOR_DIFF ? current.bytes : undefined, text);
  return writtenOutput(
    place,
    before,
    bytes,
    `wrote ${place.shown}: ${amount(bytes, text)} (before: ${stats.size} bytes)${keptNote}${diff === '' ? '' : `\n${diff}`}`,
  );
}

/**
 * Returns the diff. If the diff is omitted, returns the reason. If the old file is not UTF-8 text, returns an empty
 * text.
 */
async function diffOf(before: Buffer | undefined, after: string): Promise<string> {
  if (before === undefined) return TOO_LARGE;
  const old = textOf(before);
  return old === undefined ? '' : showDiff(old, after);
}

function writtenOutput({ path }: WorkspacePlace, before: Digest | 'absent', bytes: Buffer, text: string): ToolOutput {
  return { text, files: [{ path, digest: digest(hashOf(bytes)), as: 'written', before }] };
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function amount(bytes: Buffer, text: string): string {
  const lines = text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0);
  return `${bytes.length} bytes, ${lines} line${lines === 1 ? '' : 's'}`;
}
