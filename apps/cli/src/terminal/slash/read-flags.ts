// Reads the options among the words of a slash command.

import { parseArgs } from 'node:util';

import { CliError } from '../../frame/failure.ts';

/** Options and other words of a slash command. An option without a value is `true`. */
export interface SlashFlags {
  readonly values: ReadonlyMap<string, string | true>;
  readonly words: readonly string[];
}

/**
 * Reads the options. `flags` lists the options without a value, and `texts` the options with a value.
 *
 * @throws CliError `cli/usage` for an unknown option, and for an option whose value is missing.
 */
export function readFlags(
  args: readonly string[],
  { flags = [], texts = [] }: { readonly flags?: readonly string[]; readonly texts?: readonly string[] },
): SlashFlags {
  const options = Object.fromEntries([
    ...flags.map((name) => [name, { type: 'boolean' }] as const),
    ...texts.map((name) => [name, { type: 'string' }] as const),
  ]);
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const given = Object.entries(values).flatMap(([name, value]): [string, string | true][] =>
      typeof value === 'string' || value === true ? [[name, value]] : [],
    );
    return { values: new Map(given), words: positionals };
  } catch (error) {
    const [message = ''] = (error instanceof Error ? error.message : String(error)).split('. ', 1);
    const known = [...flags, ...texts].map((name) => `--${name}`).join(', ');
    throw new CliError('cli/usage', message, known === '' ? 'it has no options' : `its options are ${known}`, error);
  }
}
