// Completes names at the cursor: files, commands, and arguments of commands. Lists are loaded in the background, so
// typing never waits for them.

import { sep } from 'node:path';

import type { CompletionTrigger } from './find-trigger.ts';
import { findTrigger } from './find-trigger.ts';
import { rankMatches } from './rank-matches.ts';

/** A command that can be completed. */
export interface CompletionCommand {
  readonly name: string;
  readonly summary: string;
  /** Name of its argument: `<model>`, or `[model]` if the command also works without it. */
  readonly argument?: string;
  /** Returns the values of its argument. */
  readonly values?: () => Promise<readonly string[]>;
}

/** Lists from which the names come. */
export interface CompletionLists {
  commands(): readonly CompletionCommand[];
  /** Returns the files of the workspace, as relative paths. */
  files(): Promise<readonly string[]>;
}

/** A name that can be chosen. */
export interface CompletionItem {
  readonly label: string;
  readonly note?: string;
  /** Text that replaces the completed part. */
  readonly text: string;
  /** True for a command that needs no argument. Enter sends it. */
  readonly isWhole?: boolean;
}

/** Names that match at the cursor. */
export interface Completion {
  readonly from: number;
  readonly to: number;
  readonly items: readonly CompletionItem[];
}

/** Completes names. */
export interface Completer {
  /** Returns the names that are known now. When a list was loaded, `changed` is called. */
  complete(text: string, cursor: number): Completion | undefined;
}

const MAX_ITEMS = 50;

/** Creates a completer. Each list is loaded again when a name of its kind begins. */
export function createCompleter(lists: CompletionLists, changed: () => void): Completer {
  const loaded = new Map<string, readonly string[]>();
  let current = '';
  const namesOf = (key: string, load: () => Promise<readonly string[]>): readonly string[] => {
    if (key !== current) {
      current = key;
      load().then(
        (names) => {
          loaded.set(key, names);
          changed();
        },
        // Without a list there is no popup, and every name can be typed.
        () => undefined,
      );
    }
    return loaded.get(key) ?? [];
  };
  const itemsOf = (trigger: CompletionTrigger): readonly CompletionItem[] => {
    switch (trigger.kind) {
      case 'command':
        return commandItems(lists.commands(), trigger.query);
      case 'file':
        return fileItems(
          namesOf('@', async () => withFolders(await lists.files())),
          trigger.query,
        );
      case 'argument': {
        const values = lists.commands().find(({ name }) => name === trigger.command)?.values;
        return values === undefined ? [] : valueItems(namesOf(`/${trigger.command}`, values), trigger.query);
      }
    }
  };
  return {
    complete(text, cursor) {
      const trigger = findTrigger(text, cursor);
      if (trigger === undefined || trigger.kind === 'command') current = '';
      if (trigger === undefined) return undefined;
      const items = itemsOf(trigger);
      return items.length === 0 ? undefined : { from: trigger.from, to: trigger.to, items };
    },
  };
}

/** Without a query, the commands have the order of the list. */
function commandItems(commands: readonly CompletionCommand[], query: string): readonly CompletionItem[] {
  const byName = new Map(commands.map((command) => [command.name, command]));
  const names = [...byName.keys()];
  return (query === '' ? names : rankMatches(names, query, MAX_ITEMS)).flatMap((name) => {
    const command = byName.get(name);
    if (command === undefined) return [];
    const { argument, summary } = command;
    const isWhole = argument === undefined || argument.startsWith('[');
    const text = argument === undefined ? `/${name}` : `/${name} `;
    return [{ label: argument === undefined ? text : text + argument, note: summary, text, isWhole }];
  });
}

function valueItems(values: readonly string[], query: string): readonly CompletionItem[] {
  return rankMatches(values, query, MAX_ITEMS).map((value) => ({ label: value, text: value, isWhole: true }));
}

/** A name with spaces is quoted. After a folder, the name continues. */
function fileItems(files: readonly string[], query: string): readonly CompletionItem[] {
  return rankMatches(files, query, MAX_ITEMS).map((path) => {
    const isFolder = path.endsWith('/');
    const quoted = /\s/.test(path);
    const text = quoted ? `@"${path}${isFolder ? '' : '" '}` : `@${path}${isFolder ? '' : ' '}`;
    return { label: path, text };
  });
}

/** Returns true if a prompt can contain the name: a name with spaces is quoted, so it has no quotation mark. */
function canBeNamed(file: string): boolean {
  return !/[\n\r]/.test(file) && !(file.includes('"') && (/\s/.test(file) || file.startsWith('"')));
}

/** Adds the folders of the files, with `/` at their ends. Leaves out names that a prompt cannot contain. */
function withFolders(files: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const file of files) {
    if (!canBeNamed(file)) continue;
    const path = sep === '\\' ? file.replaceAll(sep, '/') : file;
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) found.add(path.slice(0, at + 1));
    found.add(path);
  }
  return [...found];
}
