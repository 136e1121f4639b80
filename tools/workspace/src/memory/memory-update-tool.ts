// `memory_update` tool: writes knowledge for later sessions of a workspace. The files must be short, because every
// session reads them completely. If a change would make a file longer than its limit, it is refused.

import { createHash } from 'node:crypto';
import type {
  PreviewContext,
  Tool,
  ToolContext,
  ToolHistory,
  ToolOutput,
  ToolPreview,
  ToolProblem,
} from '@tidemark/agent';
import type { Digest } from '@tidemark/log';
import { digest } from '@tidemark/log';
import { z } from 'zod';
import type { Confinement, WorkspacePlace } from '../confine/confine.ts';
import { isConfined, pathEffects, titleOfWrite } from '../confine/path-effects.ts';
import { argumentsOf, isProblem } from '../door/arguments.ts';
import { applyEdits } from '../edit/apply-edit.ts';
import { WorkspaceError } from '../workspace-error.ts';
import { whileHeld } from '../write/lock-file.ts';
import { keepBefore } from '../write/keep-before.ts';
import { previewChange } from '../write/preview-change.ts';
import { replaceFile } from '../write/replace-file.ts';
import { assertApproved } from '../write/seen-file.ts';
import { formOf, inFormOf, lineEnd, withLineEnds } from '../write/text-form.ts';
import type { MemoryFile, MemoryName } from './memory-file.ts';
import { MEMORY_FILES, MEMORY_NAMES, memoryPlace, readMemory } from './memory-file.ts';
import { MEMORY_SOURCE, inShort, shownIn } from './memory-revision.ts';

const UPDATE = z.strictObject({
  file: z.enum(MEMORY_NAMES).describe('MEMORY.md: the project. USER.md: how the user likes to work'),
  operation: z.enum(['add', 'replace', 'consolidate']),
  text: z.string().describe('add: new lines. replace: replacement for old_text. consolidate: the whole new file'),
  old_text: z.string().optional().describe('replace: text that must match exactly and occur once'),
});

type Update = z.infer<typeof UPDATE>;

const ARGUMENTS = argumentsOf(UPDATE);

const DESCRIPTION =
  'Saves what later sessions in this workspace need and cannot find in its files: decisions, preferences, pitfalls, not the current task. Write short lines without secrets. Returns the size, at most 4096 bytes for MEMORY.md, 3072 for USER.md; consolidate to shorten a file.';

/** Creates the tool `memory_update`, with effect class `write`. It writes only inside the workspace. */
export function createMemoryUpdateTool(confinement: Confinement): Tool {
  return {
    name: 'memory_update',
    description: DESCRIPTION,
    schema: ARGUMENTS.schema,
    earlier: ['fa37b94ed3c1f63ed13b736eab881a8a47393f714ac516b008dbf200a230a918'],
    effect: 'write',
    touches: ['memory'],
    effectKinds: ['paths'],
    async read(input) {
      const asked = ARGUMENTS.read(input);
      if (isProblem(asked)) return asked;
      const problem = problemWith(asked);
      if (problem !== undefined) return problem;
      const place = await memoryPlace(asked.file, confinement);
      if (isProblem(place)) return place;
      return {
        title: titleOfWrite(`memory_update ${asked.operation}`, place),
        confined: isConfined(place),
        sensitive: place.sensitive ?? false,
        effects: pathEffects(confinement.folder, place),
        preview: (context) => previewUpdate(place, asked, context),
        run: (context) => whileHeld(place, context.signal, () => update(place, asked, context)),
      };
    },
  };
}

function problemWith({ operation, text, old_text: oldText }: Update): ToolProblem | undefined {
  if (operation === 'replace') {
    if (oldText === undefined || oldText === '')
      return { problem: '`old_text` is missing: pass the text to replace, exactly as it is in the file.' };
    return oldText === text
      ? { problem: '`text` is equal to `old_text`, so nothing would change. Pass a different text.' }
      : undefined;
  }
  if (oldText !== undefined)
    return { problem: `\`old_text\` is not used with ${operation}: omit it. To change existing text, use replace.` };
  if (operation === 'add' && text.trim() === '') return { problem: '`text` is blank. Pass the lines to add.' };
  return undefined;
}

async function previewUpdate(place: WorkspacePlace, asked: Update, { signal }: PreviewContext): Promise<ToolPreview> {
  const before = await readMemory(place, signal);
  const after = textAfter(asked, before, place.shown);
  requireRoom(asked.file, Buffer.byteLength(after));
  const current = before && { digest: before.digest, stats: before.stats, bytes: Buffer.from(before.text) };
  return previewChange({ place, current, after });
}

async function update(place: WorkspacePlace, asked: Update, context: ToolContext): Promise<ToolOutput> {
  const before = await readMemory(place, context.signal);
  assertApproved(place, before, context.approved);
  if (asked.operation === 'consolidate' && before !== undefined) await requireShown(asked.file, before, context);
  const bytes = Buffer.from(textAfter(asked, before, place.shown));
  const after = digest(createHash('sha256').update(bytes).digest('hex'));
  const files = [
    { path: place.path, digest: after, as: 'written' as const, before: before?.digest ?? ('absent' as const) },
  ];
  if (after === before?.digest)
    return { text: `${asked.file} already has exactly this content; nothing was written`, files };
  requireRoom(asked.file, bytes.length);
  context.signal.throwIfAborted();
  const current = before && { digest: before.digest, bytes: Buffer.from(before.text) };
  await keepBefore(place.shown, current, context);
  await replaceFile(place, bytes, before?.stats);
  return {
    text: sizeInWords(asked.file, bytes.length),
    files,
    facts: [changeFact(asked, before, after, bytes.length)],
  };
}

function textAfter(
  { operation, text, old_text: oldText = '' }: Update,
  held: MemoryFile | undefined,
  shown: string,
): string {
  const before = held?.text ?? '';
  switch (operation) {
    case 'add': {
      const end = lineEnd(before);
      const gap = before === '' || before.endsWith('\n') ? '' : end;
      return `${before}${gap}${withLineEnds(withLineEnd(text), end)}`;
    }
    case 'replace':
      return applyEdits(before, [{ oldText, newText: text, replaceAll: false }], shown).text;
    case 'consolidate':
      return inFormOf(formOf(before), withLineEnd(text)).text;
  }
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function requireRoom(file: MemoryName, bytes: number): void {
  const { soft, hard } = MEMORY_FILES[file];
  if (bytes <= hard) return;
  const message = `${file} would have ${bytes} bytes, and the maximum is ${hard}; nothing was written. Call memory_update with operation consolidate and the whole file in fewer words: merge repetitions, drop what no longer applies or is in the project's files, and stay below ${soft} bytes.`;
  throw new WorkspaceError('workspace/memory-full', message, { file, bytes, hard });
}

function sizeInWords(file: MemoryName, bytes: number): string {
  const { soft, hard } = MEMORY_FILES[file];
  const hint = bytes > soft ? `. At most ${soft} are recommended: consolidate it soon, in fewer words` : '';
  return `${file} has ${bytes} bytes of ${hard}${hint}`;
}

function changeFact(
  { file, operation }: Update,
  before: MemoryFile | undefined,
  after: Digest,
  bytes: number,
): NonNullable<ToolOutput['facts']>[number] {
  const was = before === undefined ? {} : { before: before.digest };
  return { kind: 'memory.changed', data: { file, operation, ...was, after, bytes } };
}

// The code below checks that the current content of a memory file was shown to the session. The operation `consolidate`
// replaces the whole file. A person may have added a line that no note has reported yet. Such a line must not be
// overwritten.

/** Number of records that are read together during the search backwards through the log. */
const PAGE = 500;

/**
 * Refuses to replace a whole file if it contains changes that were not shown to the session.
 *
 * @throws WorkspaceError `workspace/changed` when another version of the file, or no version, was shown to the session.
 */
async function requireShown(
  name: MemoryName,
  { place, digest: current }: MemoryFile,
  { fileSeen, history }: ToolContext,
): Promise<void> {
  if (fileSeen(place.path)?.digest === current) return;
  if (shownIn(await lastRevision(history), name) === inShort(current)) return;
  const message = `${name} was changed outside this session since you last read it; nothing was written. Read ${place.shown}, then consolidate its current content.`;
  throw new WorkspaceError('workspace/changed', message, { path: place.shown });
}

async function lastRevision(history: ToolHistory): Promise<string | undefined> {
  for (let to = history.length; to > 0; to -= PAGE) {
    let last: string | undefined;
    for await (const record of history.read(Math.max(0, to - PAGE), to))
      if (record.kind === 'context.noted' && record.data.source === MEMORY_SOURCE) last = record.data.revision;
    if (last !== undefined) return last;
  }
  return undefined;
}
