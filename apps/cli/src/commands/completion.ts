// `tidemark completion`: prints a script that makes a shell complete the command, and answers the questions of that
// script.

import type { Command as CommanderCommand } from 'commander';
import { Argument, Option } from 'commander';

import { completeWords } from '../completion/complete-words.ts';
import type { CompletedShell } from '../completion/shell-scripts.ts';
import { completionScript, SHELLS } from '../completion/shell-scripts.ts';
import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';

/** Command `tidemark completion`, which makes a shell complete commands, options, sessions, models and files. */
export const completion: Command = {
  name: 'completion',
  summary: 'print a script that makes a shell complete commands, options, sessions, models and files',
  examples: [
    ['tidemark completion bash', 'load it with `source <(tidemark completion bash)` in ~/.bashrc'],
    ['tidemark completion zsh', 'load it with `source <(tidemark completion zsh)` in ~/.zshrc, after compinit'],
    ['tidemark completion fish | source', 'in ~/.config/fish/config.fish'],
  ],
  declare: (command, run) =>
    void command
      .addArgument(new Argument('<shell>', 'shell that completes the command').choices(SHELLS))
      .argument('[word...]', 'with --words: the words after `tidemark`; the last one is completed')
      .addOption(new Option('--words', 'print the values for the last word').hideHelp())
      .action((shell: CompletedShell, words: readonly string[], flags: CompletionFlags) =>
        run((context) => (flags.words === true ? answer(words, command, context) : print(shell, context))),
      ),
};

interface CompletionFlags {
  readonly words?: true;
}

async function print(shell: CompletedShell, { output }: CommandContext): Promise<CommandOutcome> {
  const script = completionScript(shell);
  output.result({ shell, script }, () => script.trimEnd());
  return undefined;
}

/** Prints the kind of paths that the shell adds, and then one value per line with its description after a tab. */
async function answer(
  words: readonly string[],
  command: CommanderCommand,
  context: CommandContext,
): Promise<CommandOutcome> {
  if (command.parent === null) return undefined;
  const { paths, words: found } = await completeWords(command.parent, words, context);
  context.output.result({ paths, words: found }, () => paths);
  for (const { value, description } of found) context.output.piece(`${value}\t${description}\n`);
  return undefined;
}
