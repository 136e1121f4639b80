import { describe, expect, test } from 'vitest';
import type { CallEffects, CommandEffects, RuledCall } from '../rules/ruled-call.ts';
import { byGrants, grantCovers, grantInWords, grantOf, whyNoGrant } from './grant.ts';
import { grantProblem } from './read-grant.ts';

const call = (effects: CallEffects, more: Partial<RuledCall> = {}): RuledCall => ({
  tool: 'bash',
  effect: 'execute',
  confined: true,
  effects,
  ...more,
});
const plain = (...commands: readonly string[]): { readonly commands: CommandEffects } => {
  const words = commands.map((command) => command.split(' '));
  return { commands: { plain: words, possible: words } };
};

describe('a grant from the answer `always`', () => {
  test('covers exactly the same commands and no others', () => {
    const grant = grantOf(call(plain('npm test', 'git add .')));
    expect(grant).toEqual({
      tool: 'bash',
      commands: [
        ['npm', 'test'],
        ['git', 'add', '.'],
      ],
    });
    const grants = grant === undefined ? [] : [grant];
    expect(byGrants(grants, call(plain('git add .')))).toBe('always bash "git add ."');
    expect(byGrants(grants, call(plain('git add .', 'npm test', 'npm test')))).toMatch(/^always bash/);
    for (const other of ['npm', 'npm test x', 'NPM test', '/tmp/npm test', 'git add', 'git add ..'])
      expect(byGrants(grants, call(plain('npm test', other))), other).toBeUndefined();
    expect(byGrants(grants, call(plain('npm test'), { tool: 'shell' }))).toBeUndefined();
  });

  test('never covers a command that goes beyond its sandbox', () => {
    const [without, beyond] = [call(plain('npm install')), call({ ...plain('npm install'), beyond: ['the network'] })];
    const grant = grantOf(without);
    expect(byGrants(grant === undefined ? [] : [grant], without)).toBeDefined();
    expect(byGrants(grant === undefined ? [] : [grant], beyond)).toBeUndefined();
    expect(grantOf(beyond)).toBeUndefined();
  });

  test('treats a * in a command as an ordinary character', () => {
    const grant = grantOf(call(plain('rm *.log')));
    expect(byGrants(grant === undefined ? [] : [grant], call(plain('rm a.log')))).toBeUndefined();
  });

  test('is not offered for a command whose words are unknown', () => {
    expect(grantOf(call({ commands: { plain: undefined, possible: [['npm']] } }))).toBeUndefined();
    expect(grantOf(call({}))).toBeUndefined();
  });

  test.each([
    'cd x',
    'export A=b',
    'sudo ls',
    'xargs rm',
    'sh',
    'bash -s',
    'node',
    'python3 -',
    'source x',
    '. x',
    'eval x',
    'bash /dev/stdin',
  ])('is not offered for a command that changes or runs the commands next to it: %s', (command) => {
    expect(grantOf(call(plain('npm test', command)))).toBeUndefined();
    expect(grantOf(call(plain(command)))).toBeUndefined();
  });

  test('is offered for an interpreter that runs a file', () => {
    expect(grantOf(call(plain('node scripts/build.ts --all')))).toBeDefined();
  });

  test('never covers a write, because another call writes other content', () => {
    const write = { tool: 'write', effect: 'write' } as const;
    expect(grantOf(call({ paths: [{ path: 'src/a.ts' }] }, write))).toBeUndefined();
    expect(grantOf(call({ paths: [{ path: '/etc/x' }] }, write))).toBeUndefined();
    expect(grantOf(call({ paths: [{ path: 'src', below: true }] }, write))).toBeUndefined();
    expect(grantOf(call({ ...plain('npm test'), paths: [{ path: 'a' }] }, write))).toBeUndefined();
  });

  test('is displayed so that one quoted word differs from two words', () => {
    expect(grantInWords({ tool: 'bash', commands: [['git', 'commit', '-m', 'a b']] })).toBe(
      'bash "git commit -m \'a b\'"',
    );
    const [one, two] = [[['echo', "a' 'b"]], [['echo', 'a', 'b']]].map((commands) =>
      grantInWords({ tool: 'bash', commands }),
    );
    expect(one).toBe(String.raw`bash "echo 'a'\\'' '\\''b'"`);
    expect(two).toBe('bash "echo a b"');
  });
});

describe('a grant for the whole text of a command line', () => {
  const script = (text: string, more: Partial<RuledCall> = {}, effects: CallEffects = {}): RuledCall =>
    call({ commands: { plain: undefined, possible: [[undefined]], script: text }, ...effects }, more);
  const LOOP = 'for f in *; do wc -l "$f"; done 2>&1 | sort';

  test('covers the same text and no other', () => {
    expect(grantOf(script(LOOP))).toEqual({ tool: 'bash', scripts: [{ text: LOOP }] });
    const grants = [{ tool: 'bash', scripts: [{ text: LOOP }] }];
    expect(byGrants(grants, script(LOOP))).toBe(`always bash exactly ${JSON.stringify(LOOP)}`);
    for (const other of [`${LOOP} `, LOOP.slice(1), `${LOOP}\nls`, LOOP.toUpperCase(), ''])
      expect(byGrants(grants, script(other)), other).toBeUndefined();
    expect(byGrants(grants, script(LOOP, { tool: 'shell' }))).toBeUndefined();
    expect(byGrants(grants, call(plain('wc -l a')))).toBeUndefined();
  });

  test('given for a text in a sandbox does not cover the text without one', () => {
    const outside = script(LOOP, { confined: false });
    expect(byGrants([{ tool: 'bash', scripts: [{ text: LOOP }] }], outside)).toBeUndefined();
    const given = grantOf(outside);
    expect(given).toEqual({ tool: 'bash', scripts: [{ text: LOOP, unsandboxed: true }] });
    const grants = given === undefined ? [] : [given];
    expect([outside, script(LOOP)].map((one) => byGrants(grants, one) !== undefined)).toEqual([true, true]);
  });

  test.each([{ beyond: ['the network'] }, { hosts: ['a.example'] }, { paths: [{ path: 'a' }] }])(
    'is not given for a call that does more than its text: %j',
    (effects) => {
      expect(grantOf(script(LOOP, {}, effects))).toBeUndefined();
      expect(byGrants([{ tool: 'bash', scripts: [{ text: LOOP }] }], script(LOOP, {}, effects))).toBeUndefined();
    },
  );

  test('is not given for plain commands, which are granted one by one', () => {
    const words = [['npm', 'test']];
    const effects = { commands: { plain: words, possible: words, script: 'npm test' } };
    expect(grantOf(call(effects))).toEqual({ tool: 'bash', commands: words });
  });

  test('is the only grant that a call of other commands accepts', () => {
    const problem = grantProblem({ tool: 'bash', patterns: ['npm test *'] }, script(LOOP));
    expect(problem).toContain('only exactly this text');
    expect(grantProblem({ tool: 'bash', scripts: [{ text: 'ls' }] }, script(LOOP))).toContain('only exactly');
    expect(grantProblem({ tool: 'bash', scripts: [{ text: LOOP }] }, script(LOOP))).toBeUndefined();
  });

  test('is listed with its whole text, and named by the beginning of a long one', () => {
    const long = `for f in ${'x'.repeat(200)}; do ls; done`;
    const grant = { tool: 'bash', scripts: [{ text: long }] };
    expect(grantInWords(grant)).toBe(`bash exactly "${long}"`);
    expect(byGrants([grant], script(long))).toBe(`always bash exactly "${long.slice(0, 80)}…"`);
    expect(grantCovers(grant)).toContain('exactly this text');
  });
});

describe('a grant from a file or an old log', () => {
  const on = (path: string): RuledCall => call({ paths: [{ path }] }, { tool: 'look', effect: 'read' });

  test('covers no absolute path, and a call on an absolute path cannot be granted', () => {
    expect(grantOf(on('src/a'))).toEqual({ tool: 'look', paths: ['src/a'] });
    expect(grantOf(on('/etc/passwd'))).toBeUndefined();
    const grants = [{ tool: 'look', paths: ['/etc/passwd'], folders: ['/etc', ''] }];
    expect(byGrants(grants, on('/etc/passwd'))).toBeUndefined();
  });

  test('covers nothing if its folder is ""', () => {
    for (const path of ['src/a', 'a', '/a'])
      expect(byGrants([{ tool: 'look', folders: [''] }], on(path))).toBeUndefined();
  });

  test.each(['git *', '*', 'npm *', 'git st* *'])(
    'covers nothing if its pattern is not allowed in a grant: %s',
    (pattern) => {
      for (const command of ['git status -s', 'npm test'])
        expect(byGrants([{ tool: 'bash', patterns: [pattern] }], call(plain(command)))).toBeUndefined();
      expect(byGrants([{ tool: 'bash', patterns: ['git status *'] }], call(plain('git status -s')))).toBeDefined();
    },
  );
});

describe('a grant for a whole tool', () => {
  const save: RuledCall = { tool: 'save', effect: 'write', confined: true };
  const server: RuledCall = { tool: 'x__y', effect: 'execute', confined: false };

  test('comes from `always` to a call of a tool that reports no commands, paths or hosts', () => {
    expect([grantOf(save), grantOf(server)]).toEqual([{ tool: 'save' }, { tool: 'x__y' }]);
    expect(byGrants([{ tool: 'save' }], save)).toBe('always save');
    expect(byGrants([{ tool: 'save' }], { ...save, tool: 'saved' })).toBeUndefined();
    expect(grantInWords({ tool: 'save' })).toBe('save (every call)');
    expect(grantCovers({ tool: 'save' })).toBe('every call of save, with any arguments');
  });

  test('covers no write outside the workspace and no access outside the sandbox', () => {
    const outside: RuledCall = { ...save, confined: false };
    const beyond: RuledCall = { ...server, effects: { beyond: ['the network'] } };
    for (const one of [outside, beyond]) {
      expect([grantOf(one), byGrants([{ tool: one.tool }], one)]).toEqual([undefined, undefined]);
      expect(grantProblem({ tool: one.tool }, one)).toBe('this call cannot be granted');
    }
    expect(whyNoGrant(outside)).toBe('the call writes outside the workspace');
    expect(whyNoGrant(beyond)).toBe('the call requests access outside its sandbox');
  });

  test('covers no call of a tool that reports its effects, even if those of this call are unknown', () => {
    for (const effects of [{}, { paths: [{ path: 'a' }] }, plain('npm test')])
      expect(byGrants([{ tool: 'bash' }], call(effects))).toBeUndefined();
  });

  test('is the only grant for a tool that reports no effects', () => {
    expect(grantProblem({ tool: 'save', paths: ['a'] }, save)).toBe(
      'it does not cover `every call of save` of this call',
    );
    expect(grantProblem({ tool: 'save' }, save)).toBeUndefined();
  });
});

describe('a grant for `write` in a place', () => {
  const file = (path: string, more: Partial<RuledCall> = {}): RuledCall =>
    call({ paths: [{ path }] }, { tool: 'edit', effect: 'write', ...more });
  const grants = [{ tool: 'write', folders: ['src'], paths: ['a.ts'] }];

  test('also covers an edit there', () => {
    expect(byGrants(grants, file('src/deep/b.ts'))).toBe('always write "src/"');
    expect(byGrants(grants, file('a.ts'))).toBe('always write "a.ts"');
    expect(grantCovers({ tool: 'write', folders: ['src'] })).toBe(
      'every call of write and edit below src/, with any content',
    );
  });

  test('covers no edit elsewhere, and no call that does more than a write', () => {
    expect(byGrants(grants, file('srcs/b.ts'))).toBeUndefined();
    expect(byGrants(grants, file('src/b.ts', { effect: 'execute' }))).toBeUndefined();
    expect(byGrants(grants, file('src/b.ts', { confined: false }))).toBeUndefined();
    expect(byGrants(grants, file('src/b.ts', { tool: 'move' }))).toBeUndefined();
    const host = { paths: [{ path: 'src/b.ts' }], hosts: ['a.example'] };
    expect(byGrants(grants, call(host, { tool: 'edit', effect: 'write' }))).toBeUndefined();
  });

  test('is not given by a grant for `edit`, which creates no file', () =>
    expect(byGrants([{ tool: 'edit', folders: ['src'] }], file('src/b.ts', { tool: 'write' }))).toBeUndefined());
});
