// `edit` tool: replaces exact text in a file. All other bytes of the file stay the same.

import type { Tool, ToolContext, ToolOutput, ToolProblem } from '@tidemark/agent';
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
import { applyEdits } from './apply-edit.ts';

const ARGUMENTS = argumentsOf(
  z.strictObject({
    path: z.string().describe('Path relative to the workspace root, or absolute'),
    old_text: z.string().optional().describe('Text to replace; must match the file exactly, including white space'),
    new_text: z.string().optional().describe('Replacement text'),
    replace_all: z.boolean().optional().describe('Replace every occurrence'),
    edits: z
      .array(z.strictObject({ old_text: z.string(), new_text: z.string(), replace_all: z.boolean().optional() }))
      .optional(),
  }),
);

const DESCRIPTION =
  'Replaces text in a file of at most 16 MiB. old_text must match the file exactly and occur once, unless replace_all is set; include enough lines around it to make it unique. For several places, pass edits: all or none, each matched in the file as it is now. Returns the diff. To replace a whole file, use write.';

/** Names of the arguments, for error messages. */
const NAMES = 'path, old_text, new_text, replace_all, edits';

/** Maximum number of edits in one call. */
const MAX_EDITS = 200;

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
    earlier: [
      'ce1a236be3532c11f67240dc630d669af74bffff8c8e9c08cef1fb279f343271',
      '7a3aa952dcfeae77980d3f5ee847f82e590936a99ed1d6fcaa039fe10da09379',
    ],
    effect: 'write',
    touches: ['content'],
    effectKinds: ['paths'],
    async read(input) {
      const asked = ARGUMENTS.read(input);
      if (isProblem(asked)) return asked;
      const edits = editsOf(asked);
      if (isProblem(edits)) return edits;
      const place = await confinement.place(asked.path);
      if (isProblem(place)) return place;
      const plan = (context: Approvable): Promise<PlannedEdit> => planEdit(place, confinement, edits, context);
      return {
        title: titleOfWrite('edit', place),
        confined: isConfined(place),
        sensitive: place.sensitive ?? false,
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

type EditArguments = Exclude<ReturnType<typeof ARGUMENTS.read>, { readonly problem: string }>;
type OneEdit = Pick<EditArguments, 'old_text' | 'new_text' | 'replace_all'>;

/** Returns the edits of a call in either form, or the problem with them. */
function editsOf(asked: EditArguments): readonly Edit[] | ToolProblem {
  const { edits, old_text: oldText, new_text: newText, replace_all: replaceAll } = asked;
  if (edits === undefined) return editOf(asked, '');
  if (oldText !== undefined || newText !== undefined || replaceAll !== undefined)
    return { problem: 'Pass either `edits`, or `old_text` and `new_text`. Nothing was written.' };
  if (edits.length === 0) return { problem: '`edits` is empty, so nothing would change. Pass at least one edit.' };
  if (edits.length > MAX_EDITS)
    return { problem: `\`edits\` has ${edits.length} edits, and the maximum is ${MAX_EDITS}. Use several calls.` };
  const all: Edit[] = [];
  for (const [at, edit] of edits.entries()) {
    const read = editOf(edit, edits.length === 1 ? '' : ` of edit ${at + 1}`);
    if (isProblem(read)) return read;
    all.push(...read);
  }
  return all;
}

/** Returns one edit as a list, or the problem with it. `name` is the name of the edit for the problem. */
function editOf(
  { old_text: oldText, new_text: newText, replace_all: replaceAll = false }: OneEdit,
  name: string,
): readonly Edit[] | ToolProblem {
  if (oldText === undefined || newText === undefined)
    return {
      problem: `\`${oldText === undefined ? 'old_text' : 'new_text'}\` is missing. The arguments are ${NAMES}.`,
    };
  if (oldText === '')
    return { problem: `\`old_text\`${name} is empty. To create or replace a whole file, use \`write\`.` };
  if (oldText === newText)
    return { problem: `\`new_text\`${name} is equal to \`old_text\`, so nothing would change. Pass a different text.` };
  return [{ oldText, newText, replaceAll }];
}

interface PlannedEdit {
  readonly current: CurrentFile;
  readonly before: string;
  readonly edited: Edited;
}

async function planEdit(
  place: WorkspacePlace,
  confinement: Confinement,
  edits: readonly Edit[],
  { signal, fileSeen, approved }: Approvable,
): Promise<PlannedEdit> {
  const current = await currentFile(place, MAX_BYTES, signal);
  if (current === undefined) throw await absent(place, confinement);
  assertApproved(place, current, approved);
  assertAsSeen(place, current, fileSeen(place.path));
  const before = textIn(place, current);
  return { current, before, edited: applyEdits(before, edits, place.shown) };
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
        shows: 'change',
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
