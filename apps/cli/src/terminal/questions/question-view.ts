// View of a question of the runtime: everything that the call would do, and the answers.

import { Box, Text, useInput } from 'ink';
import type { ReactElement } from 'react';
import { createElement as h, useState } from 'react';

import type { Look, Shown } from '../../frame/shown.ts';
import { render, withStyle } from '../../frame/shown.ts';
import { markedText } from '../../present/marked-text.ts';
import type { QuestionPanel } from '../state/terminal-state.ts';
import type { Answering, AnswerLine } from './answer-keys.ts';
import { grantPlaces, pressKey, startAnswering } from './answer-keys.ts';
import { pressedKey } from './pressed-key.ts';
import { useKeyGuard, WAIT_FOR_KEYS } from './key-guard.ts';
import { questionPages, samePlace } from './question-pages.ts';

/** Properties of a question view. `rows` is the maximum height. `now` returns a time in milliseconds. */
export interface QuestionViewProperties {
  readonly panel: QuestionPanel;
  readonly columns: number;
  readonly rows: number;
  readonly colour: Look;
  readonly now?: () => number;
  /** Number of panels that wait for this one. Default: 0. */
  readonly waiting?: number;
  /** Interrupts the turn of the question. Absent for a question that belongs to no turn. */
  readonly interrupt?: (() => void) | undefined;
}

/** Numbers of the shown panels, so that each question has its own state. */
const numbers = new WeakMap<QuestionPanel, number>();
let shownPanels = 0;

function numberOf(panel: QuestionPanel): number {
  const number = numbers.get(panel) ?? (shownPanels += 1);
  numbers.set(panel, number);
  return number;
}

/** View of a question. Single keys answer it. */
export function QuestionView(properties: QuestionViewProperties): ReactElement {
  return h(OneQuestion, { ...properties, key: numberOf(properties.panel) });
}

function OneQuestion({
  panel,
  columns,
  rows,
  colour,
  now = Date.now,
  waiting = 0,
  interrupt,
}: QuestionViewProperties): ReactElement {
  const { question } = panel;
  const pages = questionPages(question, { columns, rows });
  const [state, setState] = useState(() => startAnswering(pages.length));
  const [layout, setLayout] = useState({ columns, rows });
  if (layout.columns !== columns || layout.rows !== rows) {
    const before = questionPages(question, layout);
    setLayout({ columns, rows });
    const at = samePlace(before, Math.min(state.page, before.length - 1), pages);
    setState({ ...state, problem: undefined, page: at, seen: state.seen || at === pages.length - 1 });
  }
  const { counts, isOpen } = useKeyGuard(now);
  const cancel = (): void => {
    // The interrupt comes first, so that the runtime records no answer of the user.
    interrupt?.();
    panel.answer('denied');
  };
  useInput((input, key) => {
    if (key.ctrl && input === 'c') return cancel();
    const pressed = pressedKey(input, key, state.line !== undefined);
    if (!counts() || pressed === undefined) return undefined;
    const next = pressKey(state, pressed, question, pages.length);
    if ('answer' in next) return panel.answer(next.answer);
    return 'interrupt' in next ? cancel() : setState(next);
  });
  // After a change of the size, the number of pages can be smaller.
  const page = Math.min(state.page, Math.max(0, pages.length - 1));
  const shown = pages[page] ?? [withStyle('yellow', 'The terminal is too small to show the question.')];
  const lines = [
    ...shown,
    isOpen
      ? footOf({ ...state, page }, panel, {
          pages: pages.length,
          escape: interrupt === undefined ? 'cancel' : 'interrupt',
        })
      : withStyle('dim', WAIT_FOR_KEYS),
    // Without a page, the first row contains the only problem, and there is no room for more.
    ...(pages.length === 0 ? [] : [noteOf(state, waiting)]),
  ];
  return h(
    Box,
    { flexDirection: 'column' },
    ...lines.map((line, index) => h(Text, { key: index, wrap: 'truncate' }, render(line, colour) || ' ')),
  );
}

/** Returns the last row: the problem with a key, or the number of questions that wait. */
function noteOf({ problem }: Answering, waiting: number): Shown {
  if (problem !== undefined) return withStyle('yellow', markedText(problem));
  return waiting === 0
    ? ''
    : withStyle('dim', `${waiting} more ${waiting === 1 ? 'question waits' : 'questions wait'}`);
}

const LINES: Readonly<Record<AnswerLine, string>> = {
  reason: 'no, because: ',
  session: 'allow in this session: ',
  project: 'allow in this project: ',
  unseen: 'type unseen to allow it: ',
};

interface FootFacts {
  readonly pages: number;
  /** Effect of Esc. */
  readonly escape: 'interrupt' | 'cancel';
}

/** Returns the row with the keys. The keys come first, because a narrow terminal cuts the row. */
function footOf(
  { line, typed, page, seen }: Answering,
  { question }: QuestionPanel,
  { pages, escape }: FootFacts,
): Shown {
  if (line !== undefined) {
    const isGrant = line === 'session' || line === 'project';
    const arrows = isGrant && grantPlaces(question).length > 1 ? ' · ↑↓: other' : '';
    const keys = `  Enter: ${line === 'reason' ? 'deny' : 'allow'}${arrows} · Esc: back`;
    const nothing = isGrant && typed === '' && grantPlaces(question)[0] === '' ? 'exactly this' : '';
    return [withStyle('cyan', LINES[line]), typed, '▏', withStyle('dim', nothing + keys)];
  }
  const back = page > 0 ? ' · b: back' : '';
  const end = seen ? '' : 'G: last · ';
  const turn = page < pages - 1 ? `space: next page · ${end}` : '';
  const place = pages > 1 ? ` · page ${page + 1} of ${pages}${back}` : '';
  return withStyle('cyan', `${turn}${seen ? keysOf(question) : 'n: deny'} · Esc: ${escape}${place}`);
}

function keysOf(question: QuestionPanel['question']): string {
  if (question.about !== 'call') return 'y: yes · n: no';
  const { offer, preview } = question;
  if (preview.unseen !== undefined) return 'u: allow without seeing all · n: deny';
  if (offer === undefined) return 'y: allow once · n: deny';
  return `y: allow once · n: deny · a: session${offer.project ? ' · p: project' : ''}`;
}
