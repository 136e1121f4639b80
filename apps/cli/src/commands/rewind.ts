// `tidemark rewind`: creates a fork of the conversation that ends before one of its prompts. With
// `--files`, the files that tools changed since then are restored too.

import { defined } from '@tidemark/core';
import type { ForkOptions, NumberedPrompt } from '@tidemark/agent';
import { readPrompts } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { makeFork } from '../turns/make-fork.ts';
import { recordArgument } from '../arguments/record-argument.ts';
import type { SessionFlags } from '../arguments/session-argument.ts';
import { declareSession, requiredSession } from '../arguments/session-argument.ts';

/** Command `tidemark rewind`, which forks a session before one of its prompts. */
export const rewind: Command = {
  name: 'rewind',
  summary: 'fork a session from before one of its prompts, and restore files on request',
  examples: [
    ['tidemark rewind <session>', 'from before the last prompt'],
    ['tidemark rewind <session> --to 3', 'from before the third prompt'],
    ['tidemark rewind <session> --to @57', 'from before the prompt at record 57, or right after that record'],
    ['tidemark rewind <session> --files', 'also restore the files that tools changed since, one question for each'],
    ['tidemark rewind <session> --files --dry-run', 'list these files and the prompts, and change nothing'],
  ],
  declare: (command, run) =>
    void declareSession(command)
      .option('--to <prompt>', 'number of a prompt, or @ and the position of a record. Default: the last prompt.')
      .option('--summarize', 'give the model a short summary of the part that the fork omits')
      .option('--files', 'restore the files that tools changed since then; asks about each file with its diff')
      .option('--yes', 'with --files: restore every file that can be restored, without questions')
      .option('--dry-run', 'report the expected result and change nothing')
      .action((name: string | undefined, flags: RewindFlags) =>
        run(async (context) => goBack(await requiredSession(name, flags, context), flags, context)),
      ),
};

interface RewindFlags extends SessionFlags {
  readonly to?: string;
  readonly summarize?: true;
  readonly files?: true;
  readonly yes?: true;
  readonly dryRun?: true;
}

async function goBack(session: SessionId, flags: RewindFlags, context: CommandContext): Promise<CommandOutcome> {
  const { to, summarize = false, files = false, yes = false, dryRun = false } = flags;
  requireAnswers(flags, context);
  const prompts = await readPrompts(await context.store(), session);
  const prompt = promptOf(prompts, to);
  const options: ForkOptions =
    prompt === undefined ? { summarize, ...placeOf(session, prompts, to) } : { summarize, beforePrompt: prompt.number };
  await makeFork(defined({ session, options, dryRun, prompt, restoreAll: files ? yes : undefined }), context);
  if (dryRun) listPrompts(prompts, context);
  return undefined;
}

/** Checks that a user can answer the questions about files. With JSON output, files are only listed without `--yes`. */
function requireAnswers({ files, yes, dryRun }: RewindFlags, { input, output }: CommandContext): void {
  if (yes === true && files === undefined)
    throw new CliError('cli/usage', '--yes is used only with --files', 'add --files, or omit --yes');
  if (files === undefined || yes === true || dryRun === true || output.json || input.terminal) return;
  const next = 'add --yes to restore every file that can be restored, or --dry-run to list them';
  throw new CliError('cli/refused', '--files asks about each file, and there is no terminal', next);
}

function promptOf(prompts: readonly NumberedPrompt[], to: string | undefined): NumberedPrompt | undefined {
  if (to === undefined) return prompts.at(-1);
  if (to.startsWith('@')) return prompts.find(({ position }) => position === recordArgument(to));
  return prompts.find(({ number }) => String(number) === to);
}

function placeOf(session: SessionId, prompts: readonly NumberedPrompt[], to: string | undefined): ForkOptions {
  if (to?.startsWith('@') === true) return { at: recordArgument(to) };
  const there =
    prompts.length === 0
      ? 'the session has no prompts'
      : `use a number from 1 to ${prompts.length}, or a position such as @57`;
  throw new CliError('cli/refused', `session ${session} has no prompt ${to ?? 'to rewind'}`, there);
}

function listPrompts(prompts: readonly NumberedPrompt[], { output }: CommandContext): void {
  if (prompts.length === 0) return;
  output.table({
    head: ['prompt', 'record', 'at', 'text'],
    rows: prompts.map(({ number, position, at, words }) => [
      String(number),
      String(position),
      at.slice(0, 19),
      words.replaceAll(/\s+/g, ' ').slice(0, 60),
    ]),
    numbers: [0, 1],
  });
}
