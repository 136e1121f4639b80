// Prompts of `tidemark run` that begin with `/`: the user's own commands are expanded as in the interactive terminal, and
// its built-in commands are refused. Any other text is a prompt, because it can be a path.

import { join } from 'node:path';

import type { CommandContext } from '../../frame/command.ts';
import { CliError } from '../../frame/failure.ts';
import { skillsHere } from '../../settings/installed-skills.ts';
import { expandCommand, findFileCommands, WORKSPACE_COMMANDS } from './file-commands.ts';
import { asPrompt, parseDraft } from './parse-draft.ts';
import { SLASH_COMMANDS } from './slash-commands.ts';
import { splitWords } from './split-words.ts';

/**
 * Returns the prompt that a text means. With `trust`, the commands of the folder are used for this run.
 *
 * @throws CliError `cli/usage` for a built-in command of the terminal, which would be sent to the model as a text.
 */
export async function ownPrompt(
  text: string,
  { folder, trust }: { readonly folder: string; readonly trust: boolean },
  context: CommandContext,
): Promise<string> {
  const draft = parseDraft(text);
  if (draft?.kind !== 'slash') return text;
  const { name } = draft;
  const builtIn = new Set(SLASH_COMMANDS.map((command) => command.name));
  if (builtIn.has(name))
    throw new CliError(
      'cli/usage',
      `/${name} is a command of the interactive terminal`,
      `open it with \`tidemark\`, or begin the prompt with a space to send the text`,
    );
  const { trusted } = await skillsHere({ ...context, folder });
  const own = { folder: join(context.configFolder, 'commands') };
  const ofWorkspace = { folder: join(folder, WORKSPACE_COMMANDS), inside: folder };
  const { commands } = await findFileCommands([own, ...(trusted || trust ? [ofWorkspace] : [])], builtIn);
  const file = commands.find((command) => command.name === name);
  return file === undefined ? text : asPrompt(expandCommand(file.body, draft.text, splitWords(draft.text))).trimStart();
}
