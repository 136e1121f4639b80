// `edit` tool: replaces exact text in a file. All other bytes of the file stay the same.

import type { Tool, ToolContext, ToolOutput } from '@tidemark/agent';
import { digest } from '@tidemark/log';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Confinement, WorkspacePlace } from '../confine/confine.ts';
import { absent } from '../confine/near-names.ts';
import { isConfined, pathEffects, titleOfWrite } from '../confine/path-effects.ts';
import { argumentsOf, isProblem } from '../door/arguments.ts';
import { WorkspaceError } from '../workspace-error.ts';
import type { CurrentFile } from '../write/current-file.ts';
import { currentFile } from '../write/current-file.ts';
import { keepBefore } from '../write/keep-before.ts';
import { previewChange } from '../write/preview-change.ts';
import { replaceFile } from '../write/replace-file.ts';
import type { Approvable } from '../write/seen-file.ts';
import { assertApproved, assertAsSeen } from '../write/seen-file.ts';
import { showDiff } from '../write/show-diff.ts';
import { textOf } from '../write/text-form.ts';
import type { Edit, Edited } from './apply-edit.ts';
import { applyEdit } from './apply-edit.ts';

const ARGUMENTS = argumentsOf(
  z.strictObject({
    path: z.string().describe('Path relative to the workspace root, or absolute'),
    old_text: z.string().describe('Text to replace; must match the file exactly, including white space'),
    new_text: z.string().describe('Replacement text'),
    replace_all: z.boolean().optional().describe('Replace every occurrence'),
  }),
);

const DESCRIPTION =
  'Replaces text in a file of at most 16 MiB. old_text must match the file exactly and occur once, unless replace_all is set; include enough lines around it to make it unique. Returns the diff. To replace a whole file, use write.';

/** Maximum file size in bytes. The whole file is in memory during the edit. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Creates the tool `edit`, with effect class `write`. A path is not `confined` if it is outside the workspace, or if a
 * write to it needs the user's consent.
 */
export function createEditTool(confinement: Confinement): Tool {
  return {
    name: 'edit',
    description: DESCRIPTION,
    schema: ARGUMENTS.schema,
    earlier: ['ce1a236be3532c11f67240dc630d669af74bffff8c8e9c08cef1fb279f343271'],
    effect: 'write',
    touches: ['content'],
    effectKinds: ['paths'],
    async read(input) {
      const asked = ARGUMENTS.read(input);
      if (isProblem(asked)) return asked;
      const { path, old_text: oldText, new_text: newText, replace_all: replaceAll = false } = asked;
      if (oldText === '') return { problem: '`old_text` is empty. To create or replace a whole file, use `write`.' };
      if (oldText === newText)
        return { problem: '`new_text` is equal to `old_text`, so nothing would change. Pass a different text.' };
      const place = await confinement.place(path);
      if (isProblem(place)) return place;
      const plan = (context: Approvable): Promise<PlannedEdit> =>
        planEdit(place, confinement, { oldText, newText, replaceAll }, context);
      return {
        title: titleOfWrite('edit', place),
        confined: isConfined(place),
        effects: pathEffects(confinement.folder, place),
        preview: async (context) => {
          const { current, edited } = await plan(context);
          return previewChange({ place, current, after: edited.text });
        },
        run: async (context) => editPlace(place, await plan(context), context),
      };
    },
  };
}

interface PlannedEdit {
  readonly current: CurrentFile;
  readonly before: string;
  readonly edited: Edited;
}

async function planEdit(
  place: WorkspacePlace,
  confinement: Confinement,
  edit: Edit,
  { signal, fileSeen, approved }: Approvable,
): Promise<PlannedEdit> {
  const current = await currentFile(place, MAX_BYTES, signal);
  if (current === undefined) throw await absent(place, confinement);
  assertApproved(place, current, approved);
  assertAsSeen(place, current, fileSeen(place.path));
  const before = textIn(place, current);
  return { current, before, edited: applyEdit(before, edit, place.shown) };
}

async function editPlace(
  place: WorkspacePlace,
  { current, before, edited: { text, lines } }: PlannedEdit,
  context: ToolContext,
): Promise<ToolOutput> {
  const bytes = Buffer.from(text);
  context.signal.throwIfAborted();
  const was = await keepBefore(place.shown, current, context);
  await replaceFile(place, bytes, current.stats);
  const places = lines.length === 1 ? `at line ${lines[0]}` : `in ${lines.length} places`;
  return {
    text: `edited ${place.shown} ${places}\n${await showDiff(before, text)}`,
    files: [
      {
        path: place.path,
        digest: digest(createHash('sha256').update(bytes).digest('hex')),
        as: 'written',
        before: was,
      },
    ],
  };
}

function textIn({ shown }: WorkspacePlace, { bytes, stats }: CurrentFile): string {
  if (bytes === undefined)
    throw new WorkspaceError(
      'workspace/too-large',
      `${shown} has ${stats.size} bytes, and the maximum of \`edit\` is ${MAX_BYTES}. Use \`bash\`.`,
    );
  const text = textOf(bytes);
  if (text !== undefined) return text;
  throw new WorkspaceError('workspace/not-text', `${shown} is not UTF-8 text; nothing was written. Use \`bash\`.`);
}
