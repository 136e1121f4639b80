import { expect, test } from 'vitest';

import { reflowIn } from './reflow.ts';

test.each([
  [{ TMUX: '/tmp/tmux,1,0', TERM_PROGRAM: 'vscode' }, 'by-lines'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'vscode' }, 'by-lines'],
  [{ TERM: 'xterm-256color', VTE_VERSION: '7600' }, 'all'],
  [{ TERM: 'tmux-256color' }, 'by-lines'],
  [{ TERM: 'xterm-kitty' }, 'all'],
  [{ TERM: 'xterm-256color', XTERM_VERSION: 'XTerm(390)', VTE_VERSION: '7600' }, 'none'],
  [{ TERM: 'screen-256color', STY: '1.tty' }, 'none'],
  [{ TERM: 'xterm-256color' }, 'none'],
  [{ TERM: 'linux' }, 'none'],
] as const)('`reflowIn` returns for %o: %s', (environment, reflow) => {
  expect(reflowIn(environment)).toBe(reflow);
});
