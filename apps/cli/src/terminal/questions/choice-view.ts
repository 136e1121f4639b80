// View of a list from which the user chooses.

import { Box, Text, useInput } from 'ink';
import type { ReactElement } from 'react';
import { createElement as h, useState } from 'react';

import type { Look, Shown } from '../../frame/shown.ts';
import { render, withStyle } from '../../frame/shown.ts';
import { rowsOf } from '../drawing/rows.ts';
import type { ChoiceOption, ChoicePanel } from '../state/terminal-state.ts';
import type { Choosing } from './choice-list.ts';
import { matchingOptions, pressChoice, shownOptions } from './choice-list.ts';
import { useKeyGuard, WAIT_FOR_KEYS } from './key-guard.ts';
import { pressedKey } from './pressed-key.ts';

/** Properties of a list. `rows` is the maximum height. `now` returns a time in milliseconds. */
export interface ChoiceViewProperties {
  readonly panel: ChoicePanel;
  readonly columns: number;
  readonly rows: number;
  readonly colour: Look;
  readonly now?: () => number;
}

/** Numbers of the shown panels, so that each list has its own state. */
const numbers = new WeakMap<ChoicePanel, number>();
let shownPanels = 0;

function numberOf(panel: ChoicePanel): number {
  const number = numbers.get(panel) ?? (shownPanels += 1);
  numbers.set(panel, number);
  return number;
}

/** View of a list. Arrows move the mark, Enter chooses, Esc closes, and typing searches or chooses by key. */
export function ChoiceView(properties: ChoiceViewProperties): ReactElement {
  return h(OneChoice, { ...properties, key: numberOf(properties.panel) });
}

function OneChoice({ panel, columns, rows, colour, now = Date.now }: ChoiceViewProperties): ReactElement {
  const { options } = panel;
  const title = rowsOf(panel.title, columns - 1, colour);
  const [state, setState] = useState<Choosing>({ marked: panel.selected ?? 0, search: '' });
  const { counts, isOpen } = useKeyGuard(now);
  const hasKeys = options.some(({ key }) => key !== undefined);
  useInput((input, key) => {
    if (key.ctrl && input === 'c') return panel.choose(undefined);
    const pressed = pressedKey(input, key, !hasKeys);
    // A list without keys is searched by typing. The user opened it, so the first key is already for it.
    if ((hasKeys && !counts()) || pressed === undefined) return undefined;
    const next = pressChoice(state, pressed, options);
    if ('chosen' in next) panel.choose(next.chosen);
    else setState(next);
  });
  const matching = matchingOptions(options, state.search);
  // The title and one row with keys stay visible. A long title is cut, because the options matter most.
  const room = Math.max(1, rows - 1 - Math.min(title.length, Math.max(0, rows - 2)));
  const shown = shownOptions(matching, state.marked, room);
  const lines = [
    ...shown.map((index) => optionLine(options[index], index === state.marked)),
    isOpen || !hasKeys ? footOf(state, matching.length, hasKeys) : withStyle('dim', WAIT_FOR_KEYS),
  ];
  return h(
    Box,
    { flexDirection: 'column' },
    ...[
      ...title.slice(0, Math.max(0, rows - 1 - shown.length)),
      ...lines.map((line: Shown) => render(line, colour)),
    ].map((row, index) => h(Text, { key: index, wrap: 'truncate' }, row || ' ')),
  );
}

function optionLine(option: ChoiceOption | undefined, isMarked: boolean): Shown {
  const { label = '', note, key } = option ?? {};
  return [
    isMarked ? withStyle('cyan', '> ') : '  ',
    key === undefined ? '' : withStyle('cyan', `${key} `),
    isMarked ? withStyle('bold', label) : label,
    note === undefined ? '' : withStyle('dim', `  ${note}`),
  ];
}

function footOf({ search }: Choosing, found: number, hasKeys: boolean): Shown {
  if (hasKeys) return withStyle('dim', '↑↓ Enter: choose · Esc: close');
  const state = search === '' ? 'type to search' : `search: ${search} (${found} found)`;
  return withStyle('dim', `${state} · ↑↓ Enter: choose · Esc: close`);
}
