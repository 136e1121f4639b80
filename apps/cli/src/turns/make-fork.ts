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

/** Session to fork, with the options. */
export interface ForkRequest {
  readonly session: SessionId;
  readonly options: ForkOptions;
  readonly dryRun: boolean;
  /** Prompt that a rewind removes, if any. */
  readonly prompt?: { readonly number: number; readonly position: number; readonly words: string };
}

/** Plans the fork and prints the result. Without a dry run, also creates the fork. */
export async function makeFork(
  { session, options, dryRun, prompt }: ForkRequest,
  context: CommandContext,
): Promise<void> {
  const store = await context.store();
  const plan = await planFork(store, session, options);
  const id = dryRun ? undefined : await begin(plan, context);
  const { parent, left, open, summary } = plan;
  context.output.result(
    defined({
      session,
      fork: id ?? null,
      parent: { session: parent.session, position: parent.position },
      left: left ?? null,
      open: open ?? null,
      summary: summary ?? null,
      prompt,
      files: 'unchanged',
      dryRun,
    }),
    () => forPeople(plan, id, prompt, options.summarize === true),
  );
}

async function begin(plan: ForkPlan, context: CommandContext): Promise<SessionId> {
  const id = sessionId(THIS_MACHINE.newName());
  const secrets = createSecrets({ values: secretsOf(context.environment) });
  const fork = await beginFork(await context.store(), plan, { id, at: THIS_MACHINE.now(), secrets });
  await fork.writer.close();
  return id;
}

function forPeople(
  { parent, left, open, summary }: ForkPlan,
  id: SessionId | undefined,
  prompt: ForkRequest['prompt'],
  summarize: boolean,
): Shown {
  const from = `${parent.session}@${parent.position}`;
  return [
    ...(id === undefined ? ['would fork'] : [withStyle('green', 'forked'), ' ', withStyle('cyan', id)]),
    ` from ${from}`,
    ...(prompt === undefined ? [] : [`, before prompt ${prompt.number}: ${JSON.stringify(beginningOf(prompt.words))}`]),
    ...(left === undefined ? [] : [`\n  not in the fork: ${leftInWords(left, open)}`]),
    ...toldInWords(left !== undefined, summary?.text, summarize),
    '\n  files are unchanged',
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
