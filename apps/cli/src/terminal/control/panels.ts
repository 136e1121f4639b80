// Panels of the terminal: questions, lists and long texts. One panel has the keyboard at a time; the others wait.

import type { PermissionAnswer } from '@tidemark/kit';

import type { Controller } from '../state/controller.ts';
import type { Panel, TerminalState } from '../state/terminal-state.ts';
import type { Attention } from './attention.ts';
import { linesSource } from './line-sources.ts';

/** Opens panels. */
export type Panels = Pick<Controller, 'ask' | 'choose' | 'view' | 'viewEntries' | 'runProgram'>;

/** Creates the panels. `change` sets fields of the state. */
export function createPanels(change: (next: Partial<TerminalState>) => void, attention: Attention): Panels {
  let waiting: readonly Panel[] = [];
  const show = (panels: readonly Panel[]): void => {
    waiting = panels;
    change({ panel: panels[0], waiting: Math.max(0, panels.length - 1) });
  };
  const open = (panel: Panel): void => show([...waiting, panel]);
  const close = (panel: Panel): void => show(waiting.filter((one) => one !== panel));
  const untilClosed = (make: (closed: () => void) => Panel): Promise<void> =>
    new Promise((resolve) => {
      const panel = make(() => {
        close(panel);
        resolve();
      });
      open(panel);
    });
  const viewEntries: Panels['viewEntries'] = (entries, first) =>
    untilClosed((closed) => ({ kind: 'viewer', entries, first, close: closed }));
  return {
    choose: (title, options, selected = 0) =>
      new Promise((resolve) => {
        const panel: Panel = {
          kind: 'choice',
          title,
          options,
          selected,
          choose: (index) => {
            close(panel);
            resolve(index);
          },
        };
        open(panel);
      }),
    viewEntries,
    runProgram: (run) => untilClosed((closed) => ({ kind: 'program', run, close: closed })),
    view: (title, lines) => viewEntries([{ title, open: async () => linesSource(lines) }], 0),
    ask: (question, signal) =>
      new Promise<PermissionAnswer>((resolve) => {
        const deny = (): void => panel.answer('denied');
        const panel: Panel & { readonly kind: 'question' } = {
          kind: 'question',
          question,
          answer: (answer) => {
            signal.removeEventListener('abort', deny);
            attention.acted();
            close(panel);
            resolve(answer);
          },
        };
        signal.addEventListener('abort', deny, { once: true });
        open(panel);
        attention.call('a question waits for an answer');
        if (signal.aborted) deny();
      }),
  };
}
