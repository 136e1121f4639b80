// `tidemark export`: prints a session as one document, for people or for programs. A fork includes the records of its
// ancestors.

import { createSecrets, secretsOf } from '@tidemark/agent';
import type { Recorded, SessionId } from '@tidemark/log';
import { Option } from 'commander';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { createSessionPage } from '../html/session-page.ts';
import type { SessionFlags } from '../arguments/session-argument.ts';
import { declareSession, requiredSession } from '../arguments/session-argument.ts';
import { withTurnEnds } from '../present/answer-end.ts';

/** Command `tidemark export`, which prints a session as one document. */
export const exportCommand: Command = {
  name: 'export',
  summary: 'print a session as one document; a fork includes the records of its ancestors',
  examples: [
    ['tidemark export <session> > talk.md', 'as text: prompts, answers, calls and results'],
    ['tidemark export <session> --format html > talk.html', 'as a web page, with images and costs'],
    [
      'tidemark export <session> --format inspector > talk.html',
      'the pages of the inspector in one file: timeline, requests, cost; no server needed',
    ],
    [
      'tidemark export <session> --format json > talk.jsonl',
      'every record, one per line, with the log that contains it',
    ],
  ],
  declare: (command, run) =>
    void declareSession(command)
      .addOption(
        new Option('--format <form>', 'output format. Default: markdown, or json with `--json`.').choices([
          'markdown',
          'html',
          'inspector',
          'json',
        ]),
      )
      .option('--tree', 'with `--format inspector`: also include the forks and subagents of the session')
      .action((name: string | undefined, flags: ExportFlags) =>
        run(async (context) => {
          const session = await requiredSession(name, flags, context);
          const format = context.output.json ? 'json' : flags.format;
          if (format === 'inspector') return printInspector(session, flags.tree === true, context);
          if (flags.tree === true)
            throw new CliError(
              'cli/usage',
              '`--tree` needs `--format inspector`',
              'export each session by itself; `tidemark sessions --tree` lists them',
            );
          return print(session, format, context);
        }),
      ),
};

interface ExportFlags extends SessionFlags {
  readonly format?: 'markdown' | 'html' | 'inspector' | 'json';
  readonly tree?: true;
}

/** Prints the session as a file with the page of the inspector. */
async function printInspector(session: SessionId, tree: boolean, context: CommandContext): Promise<CommandOutcome> {
  const { mask } = createSecrets({ values: secretsOf(context.environment) });
  // This module loads a bundler in a clone of the project. It is therefore imported only when it is needed.
  const { inspectorFile } = await import('../html/inspector-file.ts');
  context.output.line(await inspectorFile(session, { tree, mask }, context));
  return undefined;
}

/**
 * Prints the session. All output is masked again, including answers, because a recorded value may have become a secret
 * later.
 */
async function print(
  session: SessionId,
  format: 'markdown' | 'html' | 'json' = 'markdown',
  { output, environment, store }: CommandContext,
): Promise<CommandOutcome> {
  const { mask } = createSecrets({ values: secretsOf(environment) });
  const log = await store();
  const page = createSessionPage(log.artifacts);
  // This module loads a Markdown parser. It is therefore imported only when the command runs.
  const { markdownOf } = await import('../present/markdown.ts');
  if (format === 'json') {
    let owner: SessionId = session;
    for await (const record of log.read(session)) {
      if (record.kind === 'session.created') owner = record.data.id;
      const line = await mask(JSON.stringify({ session: owner, ...record }));
      const value: object = JSON.parse(line);
      output.event(value, () => line);
    }
    return undefined;
  }
  for await (const exported of withTurnEnds(maskRecords(log.read(session), mask))) {
    const block = format === 'html' ? await page.add(exported) : markdownOf(exported);
    if (block !== '') output.line(format === 'html' ? block : `${block}\n`);
  }
  if (format === 'html') output.line(page.end());
  return undefined;
}

/**
 * Masks each record before it is rendered. The rendered text cannot be masked. Both formats escape some characters, so
 * a secret could be missed. A page also contains pictures, and masking could damage them.
 */
async function* maskRecords(
  records: AsyncIterable<Recorded>,
  mask: (text: string) => Promise<string>,
): AsyncIterable<Recorded> {
  for await (const record of records) {
    const masked: Recorded = JSON.parse(await mask(JSON.stringify(record)));
    yield masked;
  }
}
