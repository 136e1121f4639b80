// `tidemark config`: prints every setting that applies in this folder, and the source of its value.

import { createSecrets, secretsOf } from '@tidemark/agent';
import type { EffectiveSetting } from '@tidemark/settings';
import { showable } from '@tidemark/settings';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { keysOf, keyWords } from '../settings/key-presence.ts';
import { settingsIn } from '../settings/settings-in.ts';
import type { TableOf } from '../frame/table.ts';

/** Command `tidemark config`. It prints every setting that applies, and the source of its value. */
export const config: Command = {
  name: 'config',
  summary: 'print every setting in effect here and the source of its value',
  examples: [
    ['tidemark config', 'in this folder; lists the settings of an untrusted folder as not in effect'],
    ['tidemark config --trust', 'as if the folder were trusted'],
    ['tidemark config --json', 'as one JSON object'],
  ],
  declare: (command, run) =>
    void command
      .option('--trust', 'use the settings of the folder, for this run only')
      .option(
        '--config <file>',
        "settings file that replaces the user's own settings: JSON, or TypeScript, which is executed",
      )
      .action((flags: ConfigFlags) => run((context) => print(flags, context))),
};

interface ConfigFlags {
  readonly trust?: true;
}

async function print(flags: ConfigFlags, context: CommandContext): Promise<CommandOutcome> {
  const { effective: found, ignored, trusted } = await settingsIn(context.folder, flags, context);
  const effective = await Promise.all(found.map((each) => withoutSecrets(each, context)));
  const keys = await keysOf(context);
  const left = ignored.map(({ name, place }) => ({ name, place }));
  if (context.output.json) {
    context.output.result({ settings: effective, ignored: left, keys, trusted }, () => '');
    return undefined;
  }
  context.output.table(tableOf(effective));
  for (const { name, place } of left)
    context.output.line(
      `not in effect: ${name} (${place}): ${trusted ? NO_FOLDER.get(name) : 'the folder is not trusted'}`,
    );
  for (const key of keys) context.output.line(`key of ${key.provider}: ${keyWords(key)}`);
  return undefined;
}

/** Masks secrets in the value. The user may have written a key into a setting that is not for keys. */
async function withoutSecrets(each: EffectiveSetting, { environment }: CommandContext): Promise<EffectiveSetting> {
  if (each.value === undefined) return each;
  const { mask } = createSecrets({ values: secretsOf(environment) });
  const value: unknown = JSON.parse(await mask(JSON.stringify(showable(each.value))));
  return { ...each, value };
}

/** Settings that a folder cannot set, even if the folder is trusted. Each entry contains the reason. */
const NO_FOLDER: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'permissions.rules': "a folder's rules can only ask and deny; only the user's own rules can allow",
    'connection.headers': "only the user's own settings can send headers",
    'web.allowPrivate': "only the user's own settings can allow private addresses",
    'web.searchUrl': "only the user's own settings can set the address that receives a key",
    agentRoots: "a folder's agents are in .agents/agents; only the user's own settings can add other roots",
    skillRoots: "a folder's skills are in .agents/skills; only the user's own settings can add other roots",
  }),
);

function tableOf(effective: readonly EffectiveSetting[]): TableOf {
  return {
    head: ['setting', 'value', 'from'],
    rows: effective.map(({ name, value, source, place }) =>
      source === 'default'
        ? [name, place, source]
        : [name, typeof value === 'string' ? oneLine(value) : JSON.stringify(value), `${source}: ${place}`],
    ),
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
