// Keys of the viewer: splits the input into keys, and names the action of each key.

/** Action of a key. `rows` and `pages` move in the text, `entries` changes the shown text. */
export type PagerAction =
  | { readonly move: 'rows' | 'pages' | 'entries' | 'matches'; readonly by: number }
  | { readonly to: 'begin' | 'end' }
  | { readonly search: true }
  | { readonly suspend: true }
  | { readonly leave: true };

const KEYS: ReadonlyMap<string, PagerAction> = new Map<string, PagerAction>([
  ['j', { move: 'rows', by: 1 }],
  ['\r', { move: 'rows', by: 1 }],
  ['down', { move: 'rows', by: 1 }],
  ['k', { move: 'rows', by: -1 }],
  ['up', { move: 'rows', by: -1 }],
  [' ', { move: 'pages', by: 1 }],
  ['f', { move: 'pages', by: 1 }],
  ['pageDown', { move: 'pages', by: 1 }],
  ['b', { move: 'pages', by: -1 }],
  ['pageUp', { move: 'pages', by: -1 }],
  ['d', { move: 'pages', by: 0.5 }],
  ['u', { move: 'pages', by: -0.5 }],
  ['g', { to: 'begin' }],
  ['home', { to: 'begin' }],
  ['G', { to: 'end' }],
  ['end', { to: 'end' }],
  ['/', { search: true }],
  ['n', { move: 'matches', by: 1 }],
  ['N', { move: 'matches', by: -1 }],
  ['p', { move: 'entries', by: -1 }],
  ['left', { move: 'entries', by: -1 }],
  ['right', { move: 'entries', by: 1 }],
  ['q', { leave: true }],
  ['escape', { leave: true }],
  ['\u0003', { leave: true }],
  ['\u001a', { suspend: true }],
  ['\u000f', { leave: true }],
  ['\u0014', { leave: true }],
]);

/**
 * Returns the action of a key. `n` goes to the next match, and to the next text if nothing was searched. Returns
 * `undefined` for a key without an action.
 */
export function pagerAction(key: string, hasSearch: boolean): PagerAction | undefined {
  return key === 'n' && !hasSearch ? { move: 'entries', by: 1 } : KEYS.get(key);
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ['A', 'up'],
  ['B', 'down'],
  ['C', 'right'],
  ['D', 'left'],
  ['H', 'home'],
  ['F', 'end'],
  ['1~', 'home'],
  ['7~', 'home'],
  ['4~', 'end'],
  ['8~', 'end'],
  ['5~', 'pageUp'],
  ['6~', 'pageDown'],
]);

/** Matches one key: an escape sequence, the key Esc, or a character. */
const KEY = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001bO[A-Z]|\u001b|[\s\S]/gu;

/** Splits input of the terminal into keys, as the terminal sends them. */
export function splitKeys(input: string): readonly string[] {
  return input.match(KEY) ?? [];
}

/** Returns the name of a special key, or the character of another one. Returns `undefined` for an unknown sequence. */
export function nameOfKey(sent: string): string | undefined {
  if (sent === '\u001b') return 'escape';
  return sent.startsWith('\u001b') ? NAMED.get(sent.slice(2)) : sent;
}
