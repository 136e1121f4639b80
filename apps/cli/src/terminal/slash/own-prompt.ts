// Prompts of `tidemark run` that begin with `/`: the user's own commands are expanded as in the interactive terminal, and
// its built-in commands are refused. Any other text is a prompt, because it can be a path.

import { join } from 'node:path';

import { nearestName } from '@tidemark/agent';

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
 * @throws CliError `cli/unknown-command` for a lone word that is nearly a command.
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
  if (builtIn.has(name)) throw ofTerminal(name, context);
  const { trusted } = await skillsHere({ ...context, folder });
  const own = { folder: join(context.configFolder, 'commands') };
  const ofWorkspace = { folder: join(folder, WORKSPACE_COMMANDS), inside: folder };
  const { commands } = await findFileCommands([own, ...(trusted || trust ? [ofWorkspace] : [])], builtIn);
  const file = commands.find((command) => command.name === name);
  if (file !== undefined) return asPrompt(expandCommand(file.body, draft.text, splitWords(draft.text))).trimStart();
  if (draft.text === '') requireNoMistake(name, { builtIn, own: commands.map((command) => command.name) }, context);
  return text;
}

function ofTerminal(name: string, { commandNames }: CommandContext): CliError {
  const next = commandNames.includes(name)
    ? `\`tidemark ${name}\` is the command of that name`
    : 'open the terminal with `tidemark`, and write it there';
  return new CliError('cli/usage', `/${name} is a command of the interactive terminal`, next);
}

/**
 * Refuses a lone word such as `/cots` or `/verify`, if the user did not write `run`: it is most likely a command, and a
 * prompt costs money.
 */
function requireNoMistake(
  name: string,
  { builtIn, own }: { readonly builtIn: ReadonlySet<string>; readonly own: readonly string[] },
  { implied, commandNames }: CommandContext,
): void {
  if (!implied) return;
  const nearest = commandNames.includes(name) ? name : nearestName(name, [...commandNames, ...own, ...builtIn]);
  if (nearest === undefined) return;
  const inTerminal = builtIn.has(nearest)
    ? `/${nearest} of the interactive terminal`
    : `\`tidemark run "/${nearest}"\``;
  const meant = commandNames.includes(nearest) ? `\`tidemark ${nearest}\`` : inTerminal;
  throw new CliError(
    'cli/unknown-command',
    `there is no slash command /${name}`,
    `did you mean ${meant}? To send the word as a prompt: \`tidemark run "/${name}"\``,
  );
}
