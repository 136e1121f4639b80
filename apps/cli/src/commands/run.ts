// `tidemark run` and `tidemark "prompt"`: sends a prompt to an agent and runs the turn that answers it.

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import type { AgentFlags } from '../arguments/agent-flags.ts';
import { declareAgentFlags } from '../arguments/agent-flags.ts';
import type { ChosenSession } from '../arguments/choose-session.ts';
import { namedSession, newestSession } from '../arguments/choose-session.ts';
import { CliError } from '../frame/failure.ts';
import { partsOf } from '../arguments/named-files.ts';
import { imagesOf } from '../arguments/named-images.ts';
import { requirePrompt } from '../arguments/lone-word.ts';
import { readPrompt } from '../arguments/read-prompt.ts';
import { findSession } from '../arguments/find-session.ts';
import { titleOf } from '../arguments/prompt-title.ts';
import { takeSkills } from '../arguments/skill-words.ts';
import { takeTurn } from '../turns/take-turn.ts';

/** Command `tidemark run`, which sends a prompt to an agent and runs the turn that answers it. */
export const runCommand: Command = {
  name: 'run',
  summary: 'send a prompt to an agent in the current folder; `tidemark "prompt"` is the short form',
  examples: [
    ['tidemark run fix the failing test', 'in a new session; at a terminal it asks before each change'],
    ['tidemark run --continue "now the other one"', 'in the newest session of this folder'],
    ['tidemark run --mode auto --max-cost 0.50 < task.md', 'with the prompt from a file; ends before it costs more'],
    ['make 2>&1 | tidemark "why does this fail?"', 'with the piped input attached to the prompt'],
    ['tidemark "what does @src/tax.js round?"', '@ attaches a file of the folder; with spaces: `@"a b.md"`'],
    ['tidemark --image form.png "what is wrong here?"', 'with an image, scaled to the size that the model is shown'],
    ['tidemark "/skill tax fill in the form"', 'with the skill `tax` loaded first'],
    ['tidemark run "/review src/tax.js"', 'with your own command `review`, as in the interactive terminal'],
    ['tidemark run --provider simulator hello', 'without a key, against the simulator'],
  ],
  declare: (command, run) =>
    void declareAgentFlags(command.argument('[words...]', 'prompt; read from stdin if it is missing or -'))
      .option(
        '--image <file>',
        'PNG, JPEG, GIF or WebP file to send with the prompt (repeatable); - reads it from stdin',
        also,
      )
      .option('--continue', 'continue the newest session of this folder')
      .option('--session <session>', 'continue the session with this id, start of an id, or title')
      .option('--screen-reader', 'in an interactive session, append plain lines and draw no screen')
      .action((words: readonly string[], options: RunFlags) => run((context) => prompt(words, options, context))),
};

interface RunFlags extends AgentFlags {
  readonly image?: readonly string[];
  readonly continue?: true;
  readonly session?: string;
  readonly screenReader?: true;
}

async function prompt(words: readonly string[], options: RunFlags, context: CommandContext): Promise<CommandOutcome> {
  if (words.length === 0 && options.image === undefined && context.input.terminal && context.output.terminal)
    return interact(options, context);
  const imagePiped = options.image?.includes('-') === true;
  const { words: promptText, attachments } = await readPrompt({ words, imagePiped }, context);
  if (context.implied && attachments.length === 0 && !goesOn(options)) await requirePrompt(words, context);
  const session = await sessionOf(options, context);
  const where = session === undefined ? { title: titleOf(promptText) } : { session };
  const { words: asked, skills } = takeSkills(await expanded(promptText, session, options, context));
  // Images come before the text, because models understand a prompt best in this order.
  const images = await imagesOf({ names: options.image ?? [], words: words.length > 0 }, context);
  const parts = [...images, ...(await partsOf(asked, session?.workspace ?? context.folder)), ...attachments];
  return takeTurn({ flags: options, ...where, begin: (live) => live.prompt(parts, { skills }) }, context);
}

/** Returns the prompt of an own command if the text names one. The slash commands are only loaded for such a text. */
async function expanded(
  text: string,
  session: ChosenSession | undefined,
  { trust }: RunFlags,
  context: CommandContext,
): Promise<string> {
  if (!/^\/[a-zA-Z][\w-]*(\s|$)/.test(text) || text.startsWith('/skill')) return text;
  const { ownPrompt } = await import('../terminal/slash/own-prompt.ts');
  return ownPrompt(text, { folder: session?.workspace ?? context.folder, trust: trust === true }, context);
}

/** Opens the interactive terminal. Its libraries are only loaded when it is used. */
async function interact(options: RunFlags, context: CommandContext): Promise<CommandOutcome> {
  const session = await sessionOf(options, context);
  const { openTerminal } = await import('../terminal/open-terminal.ts');
  const plain = options.screenReader === true || isPlain(context.environment);
  return openTerminal({ flags: options, plain, ...(session !== undefined && { session }) }, context);
}

/** Returns true if the environment asks for plain lines: for a screen reader, or for a terminal without a cursor. */
function isPlain(environment: CommandContext['environment']): boolean {
  const isSet = (value: string | undefined): boolean => !['', '0', 'false', undefined].includes(value);
  const { TIDEMARK_SCREEN_READER: own, INK_SCREEN_READER: other, TERM: kind } = environment;
  return isSet(own) || isSet(other) || kind === 'dumb';
}

function also(name: string, named: readonly string[] = []): readonly string[] {
  return [...named, name];
}

/** Returns true if the run continues a session or has an image. A single word is then always a prompt. */
function goesOn({ continue: newest, session, image = [] }: RunFlags): boolean {
  return newest === true || session !== undefined || image.length > 0;
}

async function sessionOf(options: RunFlags, context: CommandContext): Promise<ChosenSession | undefined> {
  if (options.session !== undefined && options.continue === true)
    throw new CliError('cli/usage', '`--continue` cannot be combined with `--session`', 'use one of them');
  if (options.session !== undefined) {
    const session = await findSession(options.session, context);
    return namedSession(await context.store(), session);
  }
  return options.continue === true ? newestSession(await context.store(), context.folder) : undefined;
}
