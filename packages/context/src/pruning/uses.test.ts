import type { Part, Span } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import type { Grounds, ResultUse, Uses } from './uses.ts';
import { goToTurn, groundsOf, noteResult, noteSaid, noUses } from './uses.ts';

/** Test session in which each call gets its result immediately. */
interface Made {
  readonly uses: Uses;
  call(name: string, input: object | string, shown?: string, error?: boolean): ResultUse;
  say(text: string, role?: Span['role']): void;
}

function made(): Made {
  const uses = noUses('/w');
  let count = 0;
  const note = (role: Span['role'], parts: readonly Part[]): void =>
    noteSaid(uses, {
      role,
      parts,
      stability: 'session',
      origin: { from: 'event', session: 's', position: 1 },
      ordinal: 0,
      group: 1,
      opensTurn: false,
    });
  return {
    uses,
    call: (name, input, shown = 'ok', error = false) => {
      const call = `c${(count += 1)}`;
      const raw = typeof input === 'string' ? input : JSON.stringify(input);
      note('assistant', [{ type: 'call', call, name, arguments: raw }]);
      return noteResult(uses, { type: 'result', call, error, content: [{ type: 'text', text: shown }] });
    },
    say: (text, role = 'assistant') => note(role, [{ type: 'text', text }]),
  };
}

const grounds = (...uses: readonly ResultUse[]): readonly (Grounds | undefined)[] => uses.map(groundsOf);

describe('a result is superseded', () => {
  test('when the same file is read again, by a relative or an absolute path', () => {
    const { call } = made();
    const first = call('read', { path: 'src/a.ts' });
    const other = call('read', { path: 'src/b.ts' });
    const again = call('Read', { file_path: '/w/src/a.ts' });
    expect(grounds(first, other, again)).toEqual(['repeated', undefined, undefined]);
  });

  test('when a successful call changes its file', () => {
    const { call } = made();
    const first = call('read', { path: 'src/a.ts' });
    call('edit', { path: 'src/a.ts', old: 'x', new: 'y' }, 'not found', true);
    expect(grounds(first)).toEqual([undefined]);
    call('edit', { path: './src/a.ts', old: 'x', new: 'y' });
    expect(grounds(first)).toEqual(['changed']);
    call('read', { path: 'src/a.ts' });
    expect(grounds(first)).toEqual(['repeated']);
  });

  test('by a shorter read only if the file was changed and the read is complete', () => {
    const { call } = made();
    const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}`).join('\n');
    const long = call('read', { path: 'a.ts' }, `${lines(2_000)}\n}`);
    const short = call('read', { path: 'a.ts' }, `${lines(299)}\n}\n[lines 1-300 of 2000]`);
    expect(grounds(long, short)).toEqual([undefined, undefined]);
    call('edit', { path: 'a.ts', find: 'line 5', replace: '' });
    expect(grounds(long, short)).toEqual(['changed', 'changed']);
    const cut = call('read', { path: 'a.ts' }, `${lines(100)}\n[Showing lines 1-100 of 1999]`);
    expect(grounds(long, short, cut)).toEqual(['changed', 'changed', undefined]);
    const less = call('read', { path: 'a.ts' }, lines(1_999));
    expect(grounds(long, short, cut, less)).toEqual(['repeated', 'repeated', 'repeated', undefined]);
  });

  test('when the same command runs again in the same folder', () => {
    const { call } = made();
    const first = call('bash', { command: 'npm test', timeout: 5 });
    const other = call('bash', { command: 'npm run check' });
    const elsewhere = call('bash', { command: 'npm test', cwd: 'packages/a' });
    expect(grounds(first, other, elsewhere)).toEqual([undefined, undefined, undefined]);
    const again = call('Bash', { command: 'npm test' });
    expect(grounds(first, other, elsewhere, again)).toEqual(['repeated', undefined, undefined, undefined]);
  });

  test('by a read of the whole file if the result showed the beginning of the file, but not by a read of another part', () => {
    const { call } = made();
    const page = call('read', { path: 'a.ts', offset: 200, limit: 50 });
    const beginning = call('read', { path: 'a.ts', limit: 50 });
    expect(grounds(page, beginning)).toEqual([undefined, undefined]);
    const whole = call('read', { path: 'a.ts' });
    expect(grounds(page, beginning, whole)).toEqual([undefined, 'repeated', undefined]);
    call('read', { path: 'a.ts', offset: 200, limit: 50 });
    expect(grounds(page, whole)).toEqual(['repeated', undefined]);
  });

  test('only by a successful call of a known tool with complete arguments', () => {
    const { call } = made();
    const [file, command] = [call('read', { path: 'a.ts' }), call('bash', { command: 'ls' })];
    call('read', { path: 'a.ts' }, 'gone', true);
    call('bash', { command: 'ls' }, 'exit 1', true);
    call('look', { path: 'a.ts' });
    call('edit', '{"path":"a.ts","old":"x');
    expect(grounds(file, command)).toEqual([undefined, undefined]);
  });
});

describe('a result that was not used in the open turn and the one before it', () => {
  test('is prunable until later text or input mentions its path', () => {
    const { uses, call, say } = made();
    goToTurn(uses, 1);
    const [a, b, c] = ['src/a.ts', 'src/b.ts', 'lib/c.ts'].map((path) => call('read', { path }));
    if (a === undefined || b === undefined || c === undefined) throw new Error('a call has no result');
    goToTurn(uses, 2);
    expect(grounds(a, b, c)).toEqual([undefined, undefined, undefined]);
    say('I look at src/b.ts again.', 'user');
    goToTurn(uses, 3);
    expect(grounds(a, b, c)).toEqual(['unused', undefined, 'unused']);
    call('bash', { command: 'cat /w/lib/c.ts | head' });
    say('`a.ts` is next');
    expect(grounds(a, b, c)).toEqual([undefined, undefined, undefined]);
    goToTurn(uses, 5);
    expect(grounds(a, b, c)).toEqual(['unused', 'unused', 'unused']);
  });

  test('is in use again if later text mentions a symbol that no newer result shows', () => {
    const { uses, call, say } = made();
    const [older, newer] = [call('bash', { command: 'a' }, 'parseDate'), call('bash', { command: 'b' }, 'parseDate')];
    const other = call('bash', { command: 'c' }, 'formatDate and plain words');
    goToTurn(uses, 2);
    expect(grounds(older, newer, other)).toEqual(['unused', 'unused', 'unused']);
    say('plain words about parseDate');
    expect(grounds(older, newer, other)).toEqual(['unused', undefined, 'unused']);
    call('edit', { path: 'x.ts', edits: [{ old: 'formatDate\nx' }] });
    expect(grounds(other)).toEqual([undefined]);
  });

  test('has the grounds `changed-unused` if its file was changed too', () => {
    const { uses, call } = made();
    const file = call('read', { path: 'a.ts' });
    call('write', { path: 'a.ts', content: 'x' });
    expect(grounds(file)).toEqual(['changed']);
    goToTurn(uses, 2);
    expect(grounds(file)).toEqual(['changed-unused']);
  });
});
