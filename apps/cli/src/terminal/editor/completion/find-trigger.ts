// Finds the part of the text that can be completed at the cursor.

/** Part of the text that can be completed: the text from `from` to `to`, of which `query` is searched. */
export interface CompletionTrigger {
  readonly kind: 'file' | 'command' | 'argument';
  readonly from: number;
  readonly to: number;
  readonly query: string;
  /** Name of the command whose argument is completed. */
  readonly command?: string;
}

/** A file name begins after a space or an opening bracket, as in `partsOf` of a prompt. */
const FILE = /(?<![^\s(])@(?:"(?<quoted>[^"\n]*)|(?<plain>[^\s"]*))$/;
const COMMAND = /^\/(?<name>[^\s/]*)$/;
const ARGUMENT = /^\/(?<name>[^\s/]+)[ ]+(?<argument>\S*)$/;

/** Returns the part that can be completed, or `undefined`. */
export function findTrigger(text: string, cursor: number): CompletionTrigger | undefined {
  // A command of the user is for the shell.
  if (text.startsWith('!')) return undefined;
  const before = text.slice(0, cursor);
  const command = COMMAND.exec(before);
  if (command !== null) return { kind: 'command', from: 0, to: cursor, query: command.groups?.['name'] ?? '' };
  const file = FILE.exec(before);
  if (file !== null) {
    const query = file.groups?.['quoted'] ?? file.groups?.['plain'] ?? '';
    return { kind: 'file', from: file.index, to: cursor, query };
  }
  const argument = ARGUMENT.exec(before);
  if (argument === null) return undefined;
  const query = argument.groups?.['argument'] ?? '';
  return { kind: 'argument', from: cursor - query.length, to: cursor, query, command: argument.groups?.['name'] ?? '' };
}
