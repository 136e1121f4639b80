// Table of the slash commands, and the dispatcher that runs drafts which are commands.

import { nearestName } from '@tidemark/agent';

import { CliError } from '../../frame/failure.ts';
import { withStyle } from '../../frame/shown.ts';
import type { Dispatcher, DraftReader } from '../state/controller.ts';
import type { Draft } from '../state/draft.ts';
import { LINE_COMMANDS } from './command-lines.ts';
import { effortCommand } from './effort-command.ts';
import { expandCommand } from './file-commands.ts';
import type { HelpLists } from './help-commands.ts';
import { helpCommands } from './help-commands.ts';
import { INFORMATION_COMMANDS } from './information-commands.ts';
import { modeCommand, planCommand } from './mode-commands.ts';
import { mcpCommand } from './mcp-command.ts';
import { modelCommand } from './model-command.ts';
import type { OwnCommands } from './own-commands.ts';
import { readOwnCommands } from './own-commands.ts';
import type { DraftCommand } from './parse-draft.ts';
import { asPrompt, parseDraft } from './parse-draft.ts';
import { processesCommand } from './processes-command.ts';
import { SESSION_COMMANDS } from './session-commands.ts';
import type { SlashArguments, SlashCommand, SlashPlace, SlashSummary } from './slash-command.ts';
import { requireFewWords } from './slash-command.ts';
import { splitWords } from './split-words.ts';
import { createUserCommands } from './user-commands.ts';

/** Slash commands of one terminal. */
export interface SlashCommands {
  /** Runs the drafts that are commands. */
  readonly dispatch: Dispatcher;
  /** Returns the draft that is sent in the end. A command that sends nothing returns a blank draft. */
  readonly meantBy: DraftReader;
  /** Returns every command that can be completed. Commands of the user's own are read again in the background. */
  completions(): readonly SlashCompletion[];
  /** Stops the running command of the user. */
  close(): void;
}

/** Command that can be completed, with the values of its argument. */
export interface SlashCompletion extends SlashSummary {
  readonly values?: () => Promise<readonly string[]>;
}

/** Returns the built-in slash commands, in the order of the help. */
export function slashCommandTable(lists: HelpLists): readonly SlashCommand[] {
  return [
    ...SESSION_COMMANDS,
    modeCommand,
    planCommand,
    modelCommand,
    effortCommand,
    ...LINE_COMMANDS,
    mcpCommand,
    processesCommand,
    ...INFORMATION_COMMANDS,
    ...helpCommands(lists),
  ];
}

/** Names, summaries and groups of the built-in slash commands, for the guide. */
export const SLASH_COMMANDS: readonly Pick<SlashCommand, 'name' | 'summary' | 'argument' | 'group'>[] =
  slashCommandTable({
    commands: () => [],
    own: async () => ({ files: [], skills: [], bad: [], untrusted: false }),
    userCommands: { run: async () => undefined, lastOutput: () => undefined, close: () => undefined },
  });

/** Time for which the list of the user's own commands is shown before it is read again, in milliseconds. */
const FRESH_MS = 2_000;

/** Creates the slash commands of one terminal. */
export function createSlashCommands(place: SlashPlace): SlashCommands {
  const { controller } = place;
  const userCommands = createUserCommands(place);
  const commands: readonly SlashCommand[] = slashCommandTable({ commands: () => commands, own, userCommands });
  const names: ReadonlySet<string> = new Set([...commands.map(({ name }) => name), 'skill']);
  let known: OwnCommands = { files: [], skills: [], bad: [], untrusted: false };
  let readAt = -Infinity;
  let reading: Promise<OwnCommands> | undefined;
  async function read(): Promise<OwnCommands> {
    known = await readOwnCommands(place, names);
    return known;
  }
  function own(): Promise<OwnCommands> {
    readAt = performance.now();
    reading = read();
    return reading;
  }
  async function runSlash({ name, text }: DraftCommand & { readonly kind: 'slash' }, draft: Draft): Promise<void> {
    const given: SlashArguments = { text, words: splitWords(text), attached: draft.attached };
    const builtIn = commands.find((command) => command.name === name);
    if (builtIn !== undefined) {
      // A command that prints a command line reports wrong arguments itself.
      if (builtIn.argument === undefined && !LINE_COMMANDS.includes(builtIn)) requireFewWords(name, given.words, 0);
      return builtIn.run(given, place);
    }
    const { files, skills } = await own();
    const sent = sentText(name, text, { files, skills });
    if (sent !== undefined) return controller.send({ ...draft, text: sent });
    // The text is not put back into the editor, where it would be joined with the next text. The history contains it.
    if (draft.attached.length > 0) controller.refill('', draft.attached);
    throw unknownCommand(name, [...names, ...files.map((one) => one.name), ...skills.map((one) => one.name)]);
  }
  return {
    dispatch(draft) {
      const command = parseDraft(draft.text);
      if (command === undefined) return false;
      if (command.kind === 'shell') void userCommands.run(command.line);
      else runSlash(command, draft).catch((error: unknown) => reportFailed(draft, controller, error));
      return true;
    },
    async meantBy(draft) {
      const command = parseDraft(draft.text);
      if (command === undefined) return draft;
      if (command.kind === 'shell' || names.has(command.name)) return { ...draft, text: '' };
      const isFresh = performance.now() - readAt <= FRESH_MS;
      const commandsNow = await (isFresh && reading !== undefined ? reading : own());
      return { ...draft, text: sentText(command.name, command.text, commandsNow) ?? '' };
    },
    completions() {
      if (performance.now() - readAt > FRESH_MS) own().catch(() => undefined);
      return [
        ...commands.map((command) => completionOf(command, place)),
        ...[...known.files, ...known.skills].map(summaryOf),
      ];
    },
    close: userCommands.close,
  };
}

/** Returns the text of the prompt that a command of the user's own sends. Returns `undefined` for an unknown name. */
function sentText(
  name: string,
  text: string,
  { files, skills }: Pick<OwnCommands, 'files' | 'skills'>,
): string | undefined {
  const file = files.find((command) => command.name === name);
  if (file !== undefined) return asPrompt(expandCommand(file.body, text, splitWords(text)));
  return skills.some((skill) => skill.name === name) ? `/skill ${name} ${text}`.trimEnd() : undefined;
}

/** Prints the command that failed, and its error. Other output can be printed while a command runs. */
function reportFailed({ text }: Draft, { print, report }: SlashPlace['controller'], error: unknown): void {
  const [line = ''] = text.split('\n', 1);
  print([withStyle('dim', line)]);
  report(error);
}

function completionOf(command: SlashCommand, place: SlashPlace): SlashCompletion {
  const { complete } = command;
  return { ...summaryOf(command), ...(complete !== undefined && { values: () => complete(place) }) };
}

function summaryOf({ name, summary, argument }: SlashSummary): SlashSummary {
  return { name, summary, ...(argument !== undefined && { argument }) };
}

function unknownCommand(name: string, names: readonly string[]): CliError {
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? '`/help` lists the commands.' : `did you mean /${nearest}?`;
  return new CliError(
    'cli/unknown-command',
    `there is no command /${name}`,
    `${hint} To send the text as a prompt, begin it with a space.`,
  );
}
