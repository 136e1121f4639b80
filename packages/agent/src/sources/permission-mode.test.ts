import { sessionId } from '@tidemark/log';
import { describe, expect, test } from 'vitest';
import { asked } from '../../tests/asking.ts';
import { begin, second } from '../../tests/small-session.ts';
import type { Verdict } from '../permissions/judge.ts';
import { judge } from '../permissions/judge.ts';
import type { SourceView } from '../ports/context-source.ts';
import type { Mode } from '../ports/permissions.ts';
import { commit } from '../session/session.ts';
import { askSources, permissionModeSource } from './ask-sources.ts';

function view(mode: Mode): SourceView {
  const { signal } = new AbortController();
  return {
    workspace: '/w',
    now: second(0),
    mode,
    files: new Map(),
    noted: undefined,
    session: sessionId('s'),
    processes: [],
    begun: false,
    signal,
  };
}

/** Sentence in the note of each mode, and the decisions of the permission matrix that the sentence describes. */
const PROMISED: readonly (readonly [Mode, string, readonly Verdict['decision'][]])[] = [
  ['read-only', 'Writing files, commands and network use are denied.', ['denied', 'denied', 'denied', 'denied']],
  ['ask', "Writing files, commands and network use need the user's confirmation.", ['asks', 'asks', 'asks', 'asks']],
  [
    'accept-edits',
    'Reading, searching and edits inside the workspace run without confirmation.',
    ['allowed', 'asks', 'asks', 'asks'],
  ],
  [
    'auto',
    'writes inside the workspace and commands in a sandbox run without confirmation.',
    ['allowed', 'asks', 'allowed', 'asks'],
  ],
  [
    'auto',
    "commands and network use without a sandbox, need the user's confirmation.",
    ['allowed', 'asks', 'allowed', 'asks'],
  ],
];

describe('the permission mode', () => {
  test.each(PROMISED)('in mode %s describes what the matrix does: %s', (mode, words, decisions) => {
    expect(permissionModeSource().render(view(mode), 'initial')).toContain(words);
    const of = (effect: 'write' | 'execute', confined: boolean, sandboxed: boolean): Verdict['decision'] =>
      judge({ mode, effect, confined, edits: confined, sandboxed }).decision;
    expect([
      of('write', true, false),
      of('write', false, true),
      of('execute', true, true),
      of('execute', true, false),
    ]).toEqual(decisions);
  });

  test('has another revision if commands need no confirmation, but only in mode auto', () => {
    const source = permissionModeSource({ allowUnsandboxed: true });
    const modes: readonly Mode[] = ['read-only', 'ask', 'accept-edits', 'auto'];
    expect(modes.map((mode) => source.revision(view(mode)))).toEqual([
      'read-only',
      'ask',
      'accept-edits',
      'auto, unconfined',
    ]);
    expect(source.render(view('auto'), 'changed')).toContain('commands and network use run without');
  });

  test('waits for the first prompt, and is urgent when it changes', async () => {
    const small = await begin();
    const { work } = asked(small, [permissionModeSource()]);
    await askSources(work);
    expect(small.session.state.history.packed.length).toBe(0);
    await commit(small.session, [{ kind: 'mode.changed', at: second(1), data: { mode: 'auto', by: 'user' } }]);
    await askSources(work);
    expect(small.session.state.history.packed.length).toBe(2);
    expect(small.session.progress.lastNotes.get('permission-mode')?.revision).toBe('auto');
  });
});
