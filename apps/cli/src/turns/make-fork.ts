// Plans a fork for the command line and reports it. Without a dry run, also creates the fork.

import { defined } from '@tidemark/core';
import type { ForkOptions, ForkPlan } from '@tidemark/agent';
import { beginFork, createSecrets, planFork, secretsOf, THIS_MACHINE } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';
import { sessionId } from '@tidemark/log';

import type { CommandContext } from '../frame/command.ts';
import { formatCount } from '../frame/numbers.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';
import type { RestoreReport } from './restore-files.ts';
import { restoreFiles, restoreOptions } from './restore-files.ts';

/** Session to fork, with the options. */
export interface ForkRequest {
  readonly session: SessionId;
  readonly options: ForkOptions;
  readonly dryRun: boolean;
  /** Prompt that a rewind removes, if any. */
  readonly prompt?: { readonly number: number; readonly position: number; readonly words: string };
  /** True to restore all files that can be restored, false to ask about each of them. Absent if files do not change. */
  readonly restoreAll?: boolean;
}

/** Plans the fork and prints the result. Without a dry run, also creates the fork. */
export async function makeFork(
  { session, options, dryRun, prompt, restoreAll }: ForkRequest,
  context: CommandContext,
): Promise<void> {
  const store = await context.store();
  const plan = await planFork(store, session, options);
  const restoring = restoreAll === undefined ? undefined : await restoreOptions(plan, context);
  const id = dryRun ? undefined : await begin(plan, context);
  const restore = async (): Promise<RestoreReport | undefined> =>
    restoreAll === undefined ? undefined : restoreFiles(restoring, { yes: restoreAll, dryRun }, context);
  const { parent, left, open, summary } = plan;
  const restored = context.output.json ? await restore() : undefined;
  context.output.result(
    defined({
      session,
      fork: id ?? null,
      parent: { session: parent.session, position: parent.position },
      left: left ?? null,
      open: open ?? null,
      summary: summary ?? null,
      prompt,
      files: restored?.files.some((file) => file.restored) === true ? 'restored' : 'unchanged',
      restored,
      dryRun,
    }),
    () => forPeople({ plan, id, prompt, summarize: options.summarize === true, restores: restoreAll !== undefined }),
  );
  if (!context.output.json) await restore();
}

async function begin(plan: ForkPlan, context: CommandContext): Promise<SessionId> {
  const id = sessionId(THIS_MACHINE.newName());
  const secrets = createSecrets({ values: secretsOf(context.environment) });
  const fork = await beginFork(await context.store(), plan, { id, at: THIS_MACHINE.now(), secrets });
  await fork.writer.close();
  return id;
}

interface MadeFork {
  readonly plan: ForkPlan;
  readonly id: SessionId | undefined;
  readonly prompt: ForkRequest['prompt'];
  readonly summarize: boolean;
  readonly restores: boolean;
}

function forPeople({ plan: { parent, left, open, summary }, id, prompt, summarize, restores }: MadeFork): Shown {
  const from = `${parent.session}@${parent.position}`;
  return [
    ...(id === undefined ? ['would fork'] : [withStyle('green', 'forked'), ' ', withStyle('cyan', id)]),
    ` from ${from}`,
    ...(prompt === undefined ? [] : [`, before prompt ${prompt.number}: ${JSON.stringify(beginningOf(prompt.words))}`]),
    ...(left === undefined ? [] : [`\n  not in the fork: ${leftInWords(left, open)}`]),
    ...toldInWords(left !== undefined, summary?.text, summarize),
    ...(restores ? [] : ['\n  files are unchanged']),
    ...(id === undefined ? ['\nnothing was written'] : [`\ncontinue with \`tidemark --session ${id} "…"\``]),
  ];
}

function leftInWords({ from, to }: NonNullable<ForkPlan['left']>, open: ForkPlan['open']): string {
  const records = `${formatCount(to - from + 1, 'record')}, ${from} to ${to}`;
  return open === 'calls' ? `${records}; calls were open at the end and may have had an effect` : records;
}

function toldInWords(leaves: boolean, summary: string | undefined, summarize: boolean): readonly Shown[] {
  if (summary !== undefined) return [`\n  summary for the fork:\n    ${summary.replaceAll('\n', '\n    ')}`];
  if (summarize) return ['\n  the fork contains every record, so there is no summary'];
  return leaves ? ['\n  the fork has no summary of these records; `--summarize` adds one'] : [];
}

const BEGINNING = 60;

function beginningOf(words: string): string {
  const [line = ''] = words.split('\n', 1);
  return line.length <= BEGINNING ? line : `${line.slice(0, BEGINNING)}…`;
}
