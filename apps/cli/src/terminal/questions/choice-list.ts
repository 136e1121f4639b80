// List from which the user chooses: the marked option, and the search by typing.

import type { ChoiceOption } from '../state/terminal-state.ts';
import type { PressedKey } from './answer-keys.ts';

/** State of a list on the screen. */
export interface Choosing {
  /** Index of the marked option among all options. */
  readonly marked: number;
  /** Text that the options must contain. */
  readonly search: string;
}

/** State or result after a key. `undefined` as the chosen index means that the user chose nothing. */
export type ChoiceStep = Choosing | { readonly chosen: number | undefined };

/** Returns the indexes of the options that match the search. Each word must be in the label. */
export function matchingOptions(options: readonly ChoiceOption[], search: string): readonly number[] {
  const words = search.toLowerCase().split(/\s+/);
  return options.flatMap(({ label }, index) =>
    words.every((word) => label.toLowerCase().includes(word)) ? [index] : [],
  );
}

/** Returns the indexes to show in a number of rows, so that the marked option is among them. */
export function shownOptions(matching: readonly number[], marked: number, rows: number): readonly number[] {
  const place = Math.max(0, matching.indexOf(marked));
  const first = Math.max(0, Math.min(place - Math.floor(rows / 2), matching.length - rows));
  return matching.slice(first, first + rows);
}

/** Returns the state or the result after a key. In a list whose options have keys, a key chooses its option. */
export function pressChoice(
  state: Choosing,
  { input, name }: PressedKey,
  options: readonly ChoiceOption[],
): ChoiceStep {
  const matching = matchingOptions(options, state.search);
  const place = matching.indexOf(state.marked);
  switch (name) {
    case 'escape':
      return state.search === '' ? { chosen: undefined } : searchFor(state, '', options);
    case 'enter':
      return place === -1 ? state : { chosen: state.marked };
    case 'next':
      return { ...state, marked: matching[Math.min(matching.length - 1, place + 1)] ?? state.marked };
    case 'previous':
      return { ...state, marked: matching[Math.max(0, place - 1)] ?? state.marked };
    case 'first':
      return { ...state, marked: matching[0] ?? state.marked };
    case 'last':
      return { ...state, marked: matching.at(-1) ?? state.marked };
    case 'backspace':
      return searchFor(state, Array.from(state.search).slice(0, -1).join(''), options);
    case undefined: {
      if (!options.some(({ key }) => key !== undefined)) return searchFor(state, state.search + input, options);
      const chosen = options.findIndex(({ key }) => key === input);
      return chosen === -1 ? state : { chosen };
    }
  }
}

/** Returns the state with another search. The marked option stays if it matches. Otherwise the last match is marked. */
function searchFor(state: Choosing, search: string, options: readonly ChoiceOption[]): Choosing {
  const matching = matchingOptions(options, search);
  return { search, marked: matching.includes(state.marked) ? state.marked : (matching.at(-1) ?? state.marked) };
}
