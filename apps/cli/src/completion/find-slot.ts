// Finds what a word of a command line can be, from the declarations of the commands. This file has no list of commands
// or options of its own.

import type { Argument, Command, Option } from 'commander';

/** Value that the declarations offer for a word, with its description. */
export interface OfferedWord {
  readonly value: string;
  readonly description: string;
}

/** Meaning of the word that is completed. */
export interface CompletionSlot {
  /** Values from the declarations: names of commands and options, and choices. */
  readonly offered: readonly OfferedWord[];
  /** Name of the expected argument, such as `session` for `<session>`. Absent if the declarations list all values. */
  readonly placeholder?: string;
  /** Text before the value in the same word, such as `--mode=`. */
  readonly before: string;
  /** Text of the value so far. */
  readonly typed: string;
}

/** Command to which the words before the cursor lead. */
interface LinePosition {
  readonly command: Command;
  /** Number of arguments of the command that are complete. */
  readonly operands: number;
  /** Option that waits for its value. */
  readonly waiting: Option | undefined;
  /** True after the word `--`. */
  readonly isEnded: boolean;
}

/**
 * Returns the meaning of the last word. `words` are the words after the name of the program. A line that does not begin
 * with the name of a command is a prompt, so it has the options of `run`.
 */
export function findSlot(program: Command, words: readonly string[]): CompletionSlot {
  const current = words.at(-1) ?? '';
  const { command, operands, waiting, isEnded } = readWords(program, words.slice(0, -1));
  if (waiting !== undefined) return valueSlot(choicesOf(waiting), placeholderOf(waiting), '', current);
  if (!isEnded && current.startsWith('-')) return optionSlot(command, current);
  const argument = command.registeredArguments[operands] ?? command.registeredArguments.findLast((one) => one.variadic);
  if (command.commands.length > 0 && operands === 0)
    return { offered: commandsOf(command), before: '', typed: current };
  return valueSlot(argument?.argChoices, argument?.name(), '', current);
}

function readWords(program: Command, words: readonly string[]): LinePosition {
  let line: LinePosition = { command: program, operands: 0, waiting: undefined, isEnded: false };
  for (const word of words) line = readWord(line, word);
  return line;
}

function readWord(line: LinePosition, word: string): LinePosition {
  const { command, operands, waiting, isEnded } = line;
  if (waiting !== undefined) return { ...line, waiting: undefined };
  if (word === '--' && !isEnded) return { ...line, isEnded: true };
  if (word.startsWith('-') && word !== '-' && !isEnded) {
    const option = word.includes('=') ? undefined : optionOf(command, word);
    return { ...line, waiting: option?.required === true ? option : undefined };
  }
  if (operands > 0 || command.commands.length === 0) return { ...line, operands: operands + 1 };
  // `help <command>` is declared by commander itself.
  if (word === 'help') return line;
  const named = command.commands.find((one) => one.name() === word);
  return named === undefined
    ? { ...line, command: impliedCommand(command), operands: 1 }
    : { ...line, command: named, operands: 0 };
}

/** Returns the command of a line without the name of a command. */
function impliedCommand(command: Command): Command {
  return command.commands.find((one) => one.name() === 'run') ?? command;
}

function optionOf(command: Command, word: string): Option | undefined {
  return visibleOptions(command).find((option) => option.long === word || option.short === word);
}

function visibleOptions(command: Command): readonly Option[] {
  const own = [...command.createHelp().visibleOptions(command)];
  return command.commands.length === 0
    ? own
    : [...own, ...impliedCommand(command).options.filter((one) => !one.hidden)];
}

function commandsOf(command: Command): readonly OfferedWord[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ value: one.name(), description: one.description() }));
}

function optionSlot(command: Command, current: string): CompletionSlot {
  const at = current.indexOf('=');
  if (at !== -1) {
    const option = optionOf(command, current.slice(0, at));
    return valueSlot(choicesOf(option), placeholderOf(option), current.slice(0, at + 1), current.slice(at + 1));
  }
  const offered = visibleOptions(command).flatMap(({ long, description }) =>
    typeof long === 'string' ? [{ value: long, description }] : [],
  );
  return { offered, before: '', typed: current };
}

function valueSlot(
  choices: readonly string[] | undefined,
  placeholder: string | undefined,
  before: string,
  typed: string,
): CompletionSlot {
  if (choices !== undefined) return { offered: choices.map((value) => ({ value, description: '' })), before, typed };
  return { offered: [], before, typed, ...(placeholder !== undefined && { placeholder }) };
}

function choicesOf(option: Option | undefined): Argument['argChoices'] {
  return option?.argChoices;
}

/** Returns the name of the value in the flags of an option: `model` for `--model <model>`. */
function placeholderOf(option: Option | undefined): string | undefined {
  return option === undefined ? undefined : /[<[]([^\]>]+?)(?:\.\.\.)?[\]>]/.exec(option.flags)?.[1];
}
