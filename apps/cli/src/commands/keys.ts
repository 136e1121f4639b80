// `tidemark keys`: manages the API keys of providers in the system keyring. A key is never printed.

import { PROVIDERS } from '@tidemark/kit';
import { Argument } from 'commander';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { keysOf, keyWords } from '../settings/key-presence.ts';

/** Command `tidemark keys`, which stores, removes and lists the API keys in the system keyring. */
export const keys: Command = {
  name: 'keys',
  summary: 'store the key of a provider in the system keyring; an environment variable takes precedence',
  examples: [
    ['tidemark keys list', 'for each provider, if there is a key and where'],
    ['tidemark keys set anthropic < key.txt', 'store the piped key, so that it is not in the command history'],
    ['tidemark keys remove anthropic', 'remove the key from the keyring'],
  ],
  declare: (command, run) =>
    void command
      .addArgument(new Argument('<action>', 'action').choices(['list', 'set', 'remove']))
      .addArgument(new Argument('[provider]', 'provider of the key').choices(withKeys()))
      .action((action: 'list' | 'set' | 'remove', provider: string | undefined) =>
        run((context) => ACTIONS[action](provider, context)),
      ),
};

function withKeys(): readonly string[] {
  return Object.entries(PROVIDERS).flatMap(([name, { variable }]) => (variable === undefined ? [] : [name]));
}

/** Maximum number of bytes read from stdin. No key is that long, and the piped input may be endless. */
const MOST_BYTES = 65_536;

const ACTIONS = { list, set, remove } as const;

async function list(_provider: string | undefined, context: CommandContext): Promise<CommandOutcome> {
  const found = await keysOf(context);
  context.output.result({ keys: found }, () => found.map((key) => `${key.provider}: ${keyWords(key)}`).join('\n'));
  return undefined;
}

async function set(provider: string | undefined, context: CommandContext): Promise<CommandOutcome> {
  const named = requireProvider(provider);
  const key = context.input.piped
    ? Buffer.from(await context.input.bytes(MOST_BYTES))
        .toString('utf8')
        .trim()
    : '';
  if (!/^[\x21-\x7e]{8,1000}$/.test(key))
    throw new CliError(
      'cli/usage',
      'no key was piped in: expected 8 to 1000 visible ASCII characters',
      `pipe it in: \`tidemark keys set ${named} < key.txt\``,
    );
  await context.keyring.set(named, key);
  context.output.result({ provider: named, kept: true }, () => `the key of ${named} is now in the keyring`);
  return undefined;
}

async function remove(provider: string | undefined, context: CommandContext): Promise<CommandOutcome> {
  const named = requireProvider(provider);
  const removed = await context.keyring.remove(named);
  context.output.result({ provider: named, removed }, () =>
    removed ? `the key of ${named} was removed from the keyring` : `the keyring has no key of ${named}`,
  );
  return undefined;
}

function requireProvider(provider: string | undefined): string {
  if (provider !== undefined) return provider;
  throw new CliError('cli/usage', 'the provider of the key is missing', `add one of ${withKeys().join(', ')}`);
}
