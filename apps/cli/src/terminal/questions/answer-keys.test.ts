// Tests the keys that answer a question, and the pages of a long question.

import type { CallQuestion } from '@tidemark/agent';
import { callId } from '@tidemark/log';
import { expect, test } from 'vitest';

import { render } from '../../frame/shown.ts';
import type { AnswerStep } from './answer-keys.ts';
import { grantPlaces, pressKey, startAnswering } from './answer-keys.ts';
import { FOOT_ROWS, questionPages } from './question-pages.ts';

function questionOf(change: Partial<CallQuestion> = {}): CallQuestion {
  return {
    about: 'call',
    call: callId('call-1'),
    tool: 'bash',
    effect: 'execute',
    title: 'bash npm test',
    rule: 'ask/execute',
    preview: { kind: 'command', text: 'npm test' },
    offer: {
      call: {
        tool: 'bash',
        effect: 'execute',
        confined: true,
        effects: { commands: { plain: [['npm', 'test']], possible: [] } },
      },
      exact: { tool: 'bash', commands: [['npm', 'test']] },
      project: true,
    },
    ...change,
  };
}

/** Presses keys one after the other. `⏎`, `⌫`, `⎋`, `↑` and `↓` are special keys. */
function press(keys: string, question = questionOf(), pages = 1): AnswerStep {
  const names = { '⏎': 'enter', '⌫': 'backspace', '⎋': 'escape', '↓': 'next', '↑': 'previous' } as const;
  let state: AnswerStep = startAnswering(pages);
  for (const key of keys) {
    if ('answer' in state || 'interrupt' in state) return state;
    const name = Object.entries(names).find(([sign]) => sign === key)?.[1];
    state = pressKey(state, name === undefined ? { input: key } : { input: '', name }, question, pages);
  }
  return state;
}

test('y allows the call once, n denies it, and Esc interrupts', () => {
  expect([press('y'), press('n⏎'), press('⎋')]).toEqual([
    { answer: 'allowed' },
    { answer: 'denied' },
    { interrupt: true },
  ]);
});

test('n opens a line for the reason, which the model receives', () => {
  expect(press('n⏎')).toEqual({ answer: 'denied' });
  expect(press('nuse pnpm⏎')).toEqual({ answer: { decision: 'denied', reason: 'use pnpm' } });
  expect(press('nno⎋y')).toEqual({ answer: 'allowed' });
});

test('Enter that arrives together with text ends a reason, but not a grant', () => {
  const typed = { page: 0, seen: true, typed: '' };
  const key = { input: 'npm *\r' };
  expect(pressKey({ ...typed, line: 'reason' }, key, questionOf(), 1)).toMatchObject({ answer: { reason: 'npm *' } });
  expect(pressKey({ ...typed, line: 'session' }, key, questionOf(), 1)).toMatchObject({ typed: 'npm * ' });
});

test('a allows the exact command, or a typed pattern, for the session', () => {
  const always = { tool: 'bash', commands: [['npm', 'test']] };
  expect(press('a⏎')).toEqual({ answer: { decision: 'allowed', always, keep: 'session' } });
  expect(press('p⏎')).toEqual({ answer: { decision: 'allowed', always, keep: 'project' } });
  expect(press('anpm run *⏎')).toMatchObject({ problem: expect.stringContaining('npm run *') });
});

test('a suggests the command, the arrows its patterns, and text replaces the suggestion', () => {
  const typed = (keys: string, question?: CallQuestion): unknown => {
    const step = press(keys, question);
    return 'typed' in step ? step.typed : step;
  };
  expect([typed('a'), typed('a↓'), typed('a↓↓'), typed('p')]).toEqual([
    'npm test',
    'npm test *',
    'npm test',
    'npm test',
  ]);
  expect([typed('a *'), typed('anpm'), typed('a⌫x')]).toEqual(['npm test *', 'npm', 'npm tesx']);
  const patterns = ['npm test *'];
  expect(typed('a↓⏎')).toEqual({
    answer: { decision: 'allowed', always: { tool: 'bash', patterns }, keep: 'session' },
  });
  expect(typed('a *⏎')).toEqual(typed('a↓⏎'));
});

test('a suggests nothing for several commands, whose grant is exact', () => {
  const { offer, ...question } = questionOf();
  const commands = [['npm', 'test'], ['ls']];
  if (offer === undefined) throw new Error('the question has no offer');
  const both = { ...question, offer: { ...offer, exact: { tool: 'bash', commands } } };
  expect(grantPlaces(both)).toEqual(['']);
  expect(press('a', both)).toMatchObject({ typed: '' });
  expect(press('a⏎', both)).toMatchObject({ answer: { always: { commands } } });
});

test('the keys of the viewer turn the pages of a question, and y works after the last one', () => {
  const pageAfter = (keys: string): unknown => {
    const step = press(keys, questionOf(), 22);
    return 'page' in step ? [step.page, step.seen] : step;
  };
  expect([pageAfter('j'), pageAfter('jjk'), pageAfter('f b'), pageAfter('G'), pageAfter('Gg')]).toEqual([
    [1, false],
    [1, false],
    [1, false],
    [21, true],
    [0, true],
  ]);
  expect(press('Gy', questionOf(), 22)).toEqual({ answer: 'allowed' });
  const named = (name: 'first' | 'last'): AnswerStep =>
    pressKey({ page: 3, seen: false, typed: '' }, { input: '', name }, questionOf(), 22);
  expect([named('first'), named('last')]).toMatchObject([{ page: 0 }, { page: 21, seen: true }]);
});

test('the arrows choose between the places of a grant, and keep a typed text', () => {
  const effects = { paths: [{ path: 'src/a/b.ts', access: 'write' as const }] };
  const edit = { tool: 'edit', effect: 'write' as const, confined: true, effects };
  const question = questionOf({ tool: 'edit', effect: 'write', offer: { call: edit, project: true } });
  const typed = (keys: string): AnswerStep => press(keys, question);
  expect([typed('a'), typed('a↓'), typed('a↓↓'), typed('a↑')].map((step) => 'typed' in step && step.typed)).toEqual([
    'src/a/b.ts',
    'src/a/',
    'src/a/b.ts',
    'src/a/',
  ]);
  expect(typed('p↓⏎')).toMatchObject({ answer: { always: { tool: 'edit', folders: ['src/a'] }, keep: 'project' } });
  expect(typed('a⌫↓')).toMatchObject({ typed: 'src/a/b.t' });
  expect(press('anpm↓')).toMatchObject({ typed: 'npm' });
  expect(press('n↓')).toMatchObject({ typed: '' });
});

test('y is refused until every page was shown', () => {
  const first = press('y', questionOf(), 3);
  expect(first).toMatchObject({ seen: false, problem: 'space shows the rest first' });
  expect(press(' y', questionOf(), 3)).toMatchObject({ page: 1, problem: 'space shows the rest first' });
  expect(press(' ↓y', questionOf(), 3)).toEqual({ answer: 'allowed' });
  expect(press('a', questionOf(), 3)).not.toHaveProperty('line');
});

test('a call that cannot be shown completely is allowed only by the word `unseen`', () => {
  const question = questionOf({ preview: { kind: 'command', text: 'x', unseen: 'it is binary' } });
  expect(press('y', question)).toMatchObject({ problem: expect.stringContaining('unseen') });
  expect(press('uyes⏎', question)).toMatchObject({ problem: 'this is not one of the answers' });
  expect(press('uunseen⏎', question)).toEqual({ answer: 'allowed' });
  expect(press('a', question)).not.toHaveProperty('answer');
});

test('a call without an offer can only be allowed once', () => {
  const { offer: _, ...question } = questionOf();
  expect(press('a', question)).toMatchObject({ problem: expect.stringContaining('only be allowed once') });
});

test('each page fits into the size, and all pages together contain every row', () => {
  const text = Array.from({ length: 50 }, (_, index) => `line ${index}`).join('\n');
  const question = questionOf({ preview: { kind: 'command', text } });
  const pages = questionPages(question, { columns: 60, rows: 14 });
  expect(pages.length).toBeGreaterThan(3);
  for (const page of pages) expect(page.length + FOOT_ROWS).toBeLessThanOrEqual(14);
  const rows = pages.flat().map((row) => render(row, false));
  for (let index = 0; index < 50; index += 1) expect(rows).toContain(`│ line ${index}`);
  expect(rows.join('\n')).toMatch(/^a, p: exactly this command, also next to other[^\n]*\n┆ [^\n]*or a pattern$/m);
});

test('control characters and bidirectional marks of the call are visible', () => {
  const question = questionOf({ preview: { kind: 'command', text: 'echo \u001b[2J\u202eevil' } });
  const rows = questionPages(question, { columns: 80, rows: 20 }).flat();
  const shown = rows.map((row) => render(row, false)).join('\n');
  expect(shown).toContain('⟨U+001B⟩[2J⟨U+202E⟩evil');
});

test('the title has the marks of the text, and keeps signs that the text contains', () => {
  const titleOf = (title: string, text: string): string => {
    const pages = questionPages(questionOf({ title, preview: { kind: 'command', text } }), { columns: 80, rows: 20 });
    return render(pages[0]?.[0] ?? '', false);
  };
  expect(titleOf(String.raw`bash echo \u{1b}[2J\u{a}ls`, 'echo \u001b[2J\nls')).toBe(
    'bash echo ⟨U+001B⟩[2J… [ask/execute]',
  );
  const literal = String.raw`echo \u{1b}`;
  expect(titleOf(`bash ${literal}`, literal)).toBe(`bash ${literal} [ask/execute]`);
  expect(titleOf(String.raw`bash \u{ffffff}`, 'x')).toBe(String.raw`bash \u{ffffff} [ask/execute]`);
});

test('a terminal that is too small shows no page, and y is then refused', () => {
  expect(questionPages(questionOf(), { columns: 60, rows: 3 })).toEqual([]);
  expect(press('y', questionOf(), 0)).toMatchObject({ problem: 'the terminal is too small to show the question' });
});
