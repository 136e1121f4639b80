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
    const { values, positionals } = parseArgs({ args: joinedValues(args, texts), options, allowPositionals: true });
    const given = Object.entries(values).flatMap(([name, value]): [string, string | true][] =>
      typeof value === 'string' || value === true ? [[name, value]] : [],
    );
    return { values: new Map(given), words: positionals };
  } catch (error) {
    const [message = ''] = (error instanceof Error ? error.message : String(error)).split('. ', 1);
    const known = [...flags, ...texts].map((name) => `--${name}`).join(', ');
    const next = known === '' ? 'it has no options' : `its options are ${known}`;
    const [, option] = /^Option '(--[\w-]+)[^']*' argument (?:missing|is ambiguous)/.exec(message) ?? [];
    throw new CliError('cli/usage', option === undefined ? message : `the option ${option} needs a value`, next, error);
  }
}

/**
 * Joins an option with a value such as `-5`, which would otherwise be read as another option. The command then reports
 * the value.
 */
function joinedValues(args: readonly string[], texts: readonly string[]): string[] {
  return args.reduce<string[]>((joined, arg) => {
    const before = joined.at(-1) ?? '';
    if (!/^-\d/.test(arg) || !texts.some((name) => before === `--${name}`)) return [...joined, arg];
    return [...joined.slice(0, -1), `${before}=${arg}`];
  }, []);
}
