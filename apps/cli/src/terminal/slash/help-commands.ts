// `/help`, `/keys` and `/output`: lists of commands and keys, and the output of the last command of the user.

import { CliError } from '../../frame/failure.ts';
import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { wrapWords } from '../../frame/wrap-words.ts';
import { codeLine } from '../state/line.ts';
import { KEYS } from './keys.ts';
import type { OwnCommands } from './own-commands.ts';
import { showLines } from './shown-lines.ts';
import type { SlashCommand, SlashSummary } from './slash-command.ts';
import { SLASH_GROUPS } from './slash-command.ts';
import type { UserCommands } from './user-commands.ts';

/** Lists that the help shows. */
export interface HelpLists {
  commands(): readonly SlashCommand[];
  own(): Promise<OwnCommands>;
  readonly userCommands: UserCommands;
}

/** Creates `/help`, `/keys` and `/output`. */
export function helpCommands({ commands, own, userCommands }: HelpLists): readonly SlashCommand[] {
  return [
    {
      name: 'help',
      group: 'terminal',
      summary: 'list the slash commands',
      async run(_, place) {
        await showLines('/help', helpLines(commands(), await own(), place.size().columns), place);
      },
    },
    {
      name: 'keys',
      group: 'terminal',
      summary: 'list the keys',
      async run(_, place) {
        const width = Math.max(...KEYS.flatMap(([, keys]) => keys.map(([key]) => key.length)));
        const lines = KEYS.flatMap(([group, keys]): readonly Shown[] => [
          withStyle('bold', group),
          ...keys.map(([key, effect]) => `  ${key.padEnd(width)}  ${effect}`),
        ]);
        await showLines('/keys', lines, place);
      },
    },
    {
      name: 'output',
      group: 'terminal',
      summary: 'show the whole output of the last `!` command',
      async run(_, { controller }) {
        const last = userCommands.lastOutput();
        if (last === undefined)
          throw new CliError('cli/refused', 'no `!` command has run yet', '`!ls` runs a command of yours');
        await controller.view(`! ${last.line}`, last.lines.map(codeLine));
      },
    },
  ];
}

function helpLines(commands: readonly SlashCommand[], own: OwnCommands, columns: number): readonly Shown[] {
  const lines: Shown[] = SLASH_GROUPS.flatMap((group) => [
    withStyle('bold', group),
    ...summaryLines(
      commands.filter((command) => command.group === group),
      columns,
    ),
  ]);
  if (own.files.length > 0) lines.push(withStyle('bold', 'your own'), ...summaryLines(own.files, columns));
  if (own.skills.length > 0) lines.push(withStyle('bold', 'skills'), ...summaryLines(own.skills, columns));
  for (const { path, reason } of own.bad) lines.push(withStyle('yellow', `not used: ${path}: ${reason}`));
  if (own.untrusted)
    lines.push(
      withStyle('yellow', 'The commands of this folder are not used, because it is not trusted: tidemark trust'),
    );
  lines.push(
    withStyle(
      'dim',
      '!command runs a command of yours outside of the sandbox. The model sees its output with the next prompt.',
    ),
    withStyle('dim', 'A text that begins with a space is always a prompt.'),
  );
  return lines;
}

/** Columns of the name of a command. */
const NAMES = 14;

/** Returns the name and the summary of each command. A summary that is too long continues below itself. */
function summaryLines(summaries: readonly SlashSummary[], columns: number): readonly Shown[] {
  return summaries.flatMap(({ name, summary }) =>
    wrapWords(summary, Math.max(20, columns - NAMES - 1)).map((line, index): Shown => {
      if (index > 0) return `${' '.repeat(NAMES)}${line}`;
      return [withStyle('cyan', `  /${name}`.padEnd(NAMES - 1)), ` ${line}`];
    }),
  );
}
