// Reads what the terminal sent for a key, and returns the commands of the editor.

import type { Key } from 'ink';

import type { EditCommand } from '../text/edit-text.ts';
import type { Movement } from '../text/buffer.ts';

/** A command of the editor: an edit, a pasted text, or an action. */
export type EditorCommand =
  | { readonly kind: 'edit'; readonly command: EditCommand }
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: EditorAction };

/** Actions that are no edits of the text. */
export type EditorAction =
  | 'enter'
  | 'tab'
  | 'next-mode'
  | 'escape'
  | 'up'
  | 'down'
  | 'take-back'
  | 'clear'
  | 'end'
  | 'search'
  | 'search-newer'
  | 'open-editor'
  | 'clipboard-image'
  | 'prefix';

const act = (kind: EditorAction): EditorCommand => ({ kind });
const edit = (command: EditCommand): EditorCommand => ({ kind: 'edit', command });
const move = (movement: Movement): EditorCommand => edit({ edit: 'move', movement });
const remove = (movement: Movement): EditorCommand => edit({ edit: 'delete', movement });
const kill = (movement: Movement): EditorCommand => edit({ edit: 'kill', movement });
const NEW_LINE = edit({ edit: 'type', text: '\n' });
const UNDO = edit({ edit: 'undo' });
const REDO = edit({ edit: 'redo' });

/** Commands of Ctrl and a character. */
const CONTROL: ReadonlyMap<string, EditorCommand> = new Map([
  ['a', move('line-start')],
  ['b', move('left')],
  ['c', act('clear')],
  ['d', act('end')],
  ['e', move('line-end')],
  ['f', move('right')],
  ['g', act('open-editor')],
  ['h', remove('left')],
  ['i', act('tab')],
  ['j', NEW_LINE],
  ['k', kill('line-end')],
  ['m', act('enter')],
  ['n', act('down')],
  ['p', act('up')],
  ['r', act('search')],
  ['s', act('search-newer')],
  ['t', edit({ edit: 'transpose' })],
  ['u', kill('line-start')],
  ['v', act('clipboard-image')],
  ['w', kill('spaced-word-left')],
  ['x', act('prefix')],
  ['y', edit({ edit: 'yank' })],
  ['_', UNDO],
  ['/', UNDO],
]);

/** Commands of Alt and a character. */
const ALT: ReadonlyMap<string, EditorCommand> = new Map([
  ['b', move('word-left')],
  ['d', kill('word-right')],
  ['f', move('word-right')],
  ['p', act('take-back')],
  ['v', act('clipboard-image')],
  ['y', edit({ edit: 'yank-older' })],
  ['<', move('text-start')],
  ['>', move('text-end')],
  ['_', REDO],
  ['/', REDO],
]);

/** Commands of Ctrl and a character after Ctrl-X. */
const AFTER_PREFIX: ReadonlyMap<string, EditorCommand> = new Map([
  ['e', act('open-editor')],
  ['u', UNDO],
  ['r', REDO],
]);

/**
 * Returns the commands of one input. Usually this is one command. Characters that arrive together are separate commands,
 * and a text with a line break inside is a paste. `afterPrefix` is true after Ctrl-X.
 */
export function readKeys(input: string, key: Key, afterPrefix: boolean): readonly EditorCommand[] {
  if (key.eventType === 'release' || key.super || key.hyper) return [];
  const named = namedKey(key);
  if (named !== undefined) return named;
  if (key.ctrl) return asList((afterPrefix ? AFTER_PREFIX : CONTROL).get(input));
  if (key.meta) return asList(ALT.get(input));
  return readText(input, afterPrefix);
}

/** Returns the commands of a key that has a name, such as Enter. `undefined` for every other key. */
function namedKey(key: Key): readonly EditorCommand[] | undefined {
  const byWord = key.ctrl || key.meta;
  if (key.return) return [key.shift || key.meta || key.ctrl ? NEW_LINE : act('enter')];
  // Two Esc that arrive together have `meta`.
  if (key.escape) return key.meta ? [act('escape'), act('escape')] : [act('escape')];
  if (key.tab) return [key.shift ? act('next-mode') : act('tab')];
  if (key.backspace) return [byWord ? kill('word-left') : remove('left')];
  if (key.delete) return [byWord ? kill('word-right') : remove('right')];
  if (key.upArrow) return [key.meta ? act('take-back') : act('up')];
  if (key.downArrow) return [act('down')];
  if (key.leftArrow) return [move(byWord ? 'word-left' : 'left')];
  if (key.rightArrow) return [move(byWord ? 'word-right' : 'right')];
  if (key.home) return [move(byWord ? 'text-start' : 'line-start')];
  if (key.end) return [move(byWord ? 'text-end' : 'line-end')];
  return key.pageUp || key.pageDown ? [] : undefined;
}

/** Reads characters that arrived together, as typed in advance or pasted in a terminal without bracketed paste. */
function readText(input: string, afterPrefix: boolean): readonly EditorCommand[] {
  if (input === '\n' && !afterPrefix) return [NEW_LINE];
  if (/[\r\n](?=[^])/.test(input)) return [{ kind: 'paste', text: input }];
  const commands: EditorCommand[] = [];
  let table = afterPrefix ? AFTER_PREFIX : CONTROL;
  for (const piece of input.match(/[\u0000-\u001f]|[^\u0000-\u001f]+/g) ?? []) {
    // The first character after Ctrl-X is a part of its command.
    const text = table === AFTER_PREFIX ? piece.slice(1) : piece;
    const command = piece < ' ' ? table.get(letterOf(piece)) : edit({ edit: 'type', text });
    table = piece === CONTROL_X ? AFTER_PREFIX : CONTROL;
    if (command !== undefined && (piece < ' ' || text !== '')) commands.push(command);
  }
  return commands;
}

const CONTROL_X = '\u0018';

/** Returns the letter that is pressed together with Ctrl for a control character. */
function letterOf(character: string): string {
  const code = character.charCodeAt(0);
  return String.fromCharCode(code + (code <= 26 ? 96 : 64));
}

function asList(command: EditorCommand | undefined): readonly EditorCommand[] {
  return command === undefined ? [] : [command];
}
