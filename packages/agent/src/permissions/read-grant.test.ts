import { describe, expect, test } from 'vitest';
import type { CallEffects, GrantOffer, RuledCall } from '../rules/ruled-call.ts';
import { byGrants, grantCovers, grantInWords, grantOf } from './grant.ts';
import { grantProblem, offeredPatterns, offeredPlaces, readGrant } from './read-grant.ts';

const runs = (...commands: readonly string[]): RuledCall => {
  const words = commands.map((command) => command.split(' '));
  return { tool: 'bash', effect: 'execute', confined: true, effects: { commands: { plain: words, possible: words } } };
};
const edits = (path: string, effects: CallEffects = { paths: [{ path }] }): RuledCall => ({
  tool: 'edit',
  effect: 'write',
  confined: !path.startsWith('/'),
  effects,
});
const offer = (call: RuledCall): GrantOffer => {
  const exact = grantOf(call);
  return { call, project: true, ...(exact !== undefined && { exact }) };
};
const problemOf = (call: RuledCall, typed: string): string => {
  const read = readGrant(offer(call), typed);
  return 'problem' in read ? read.problem : `granted: ${grantInWords(read)}`;
};

describe('a grant typed for a command', () => {
  test('without text covers exactly the call', () =>
    expect(readGrant(offer(runs('npm test')), ' ')).toEqual({ tool: 'bash', commands: [['npm', 'test']] }));

  test('covers exactly what a rule with the same text allows', () => {
    const grant = readGrant(offer(runs('npm test')), ' npm test * ');
    expect(grant).toEqual({ tool: 'bash', patterns: ['npm test *'] });
    const grants = 'problem' in grant ? [] : [grant];
    expect(byGrants(grants, runs('npm test', 'npm test -- a'))).toBe('always bash "npm test *"');
    for (const other of ['npm run x', 'npm', 'npm test --script-shell=x', 'rm x'])
      expect(byGrants(grants, runs('npm test', other)), other).toBeUndefined();
    expect(byGrants(grants, { ...runs('npm test'), tool: 'shell' })).toBeUndefined();
  });

  test.each([
    'sudo *',
    'env *',
    'xargs *',
    'npx *',
    'find *',
    'timeout 5 *',
    '/usr/bin/sudo *',
    'bash *',
    'node *',
    'python3 *',
    'sed *',
  ])('is refused with a reason for a program that runs other programs or code: %s', (typed) => {
    const [program = ''] = typed.split(' ');
    expect(problemOf(runs(typed.replace('*', 'x')), typed)).toContain(program);
    expect(problemOf(runs(typed.replace('*', 'x')), typed)).not.toContain('a * is allowed');
  });

  test.each(['sudo ls', 'cd src', 'export A', 'eval ls', 'source x', 'sh'])(
    'is refused even word for word for a command that runs or changes other commands: %s',
    (typed) => expect(problemOf(runs('npm test'), typed)).toContain('cannot be granted'),
  );

  test.each([
    'npm exec *',
    'npm exe *',
    'npm innit *',
    'npm config *',
    'git -c x *',
    'cargo run *',
    'go run *',
    'tar --to-command=x *',
    'uv run *',
    'git submodule foreach *',
  ])('is refused if one of its words makes the program run other programs: %s', (typed) =>
    expect(problemOf(runs(typed.replace('*', 'x')), typed)).toMatch(/runs other programs|not a command in plain words/),
  );

  test.each([
    'npm *',
    'git *',
    'npm run *',
    'npm e*',
    'git *onfig x',
    'git config *',
    'git rebase *',
    'git archive *',
    'git --no-pager *',
    'cargo *',
    'go env *',
    'vitest *',
    'node scripts/a.js *',
    './ls *',
    'touch *',
    'make *',
    'constructor *',
  ])('is refused with an alternative if a * could run other programs or write settings: %s', (typed) => {
    const problem = problemOf(runs(typed.replace('*', 'x')), typed);
    expect(problem).toContain('a * is allowed only after');
    expect(problem).toContain(
      'Answer a without a pattern to allow exactly this command, or add a rule to your own settings',
    );
  });

  test.each([
    'npm test *',
    'npm run build *',
    'npm run test:*',
    'npm ls *',
    'git status *',
    'git log --oneline *',
    'git add *',
    'cargo test *',
    'go vet *',
    'rg *',
    'cat src/*',
    'pytest *',
    'vitest run *',
    'tsc --noEmit *',
    'eslint src *',
  ])('is accepted for a command that is clearly harmless: %s', (typed) =>
    expect(problemOf(runs(typed.replace('*', 'a')), typed)).toContain('granted: bash'),
  );

  test.each([
    ['npm test *', ['--git=./evil', '--script-sh=./evil', '--shell=x', '--node-opt=x', '-C x']],
    ['npm run build *', ['--prefix=x', '--git ./evil']],
    ['npm view *', ['--viewer=./evil', 'x --userconf=y']],
    ['git diff *', ['--ext-diff', '--output=x', '-Oevil', '-c core.fsmonitor=./evil']],
    ['git branch *', ['--edit-description', '--edit-d', '--e']],
    ['git add *', ['-e', '-pe', '--edit']],
    ['cargo build *', ['--config x', '--target=./evil.json', '--manifest-path=x']],
    ['cargo clippy *', ['-- --codegen=linker=./evil']],
    ['go build *', ['-toolexec=./evil', '-ldflags=-extld=./evil', '-o x']],
    ['rg *', ['--pre=./evil x']],
    ['pytest *', ['-p evil', '--rootdir=x', '-c x', '@evil']],
    ['vitest run *', ['--config=x', '--globalSetup=./evil']],
    ['tsc *', ['@evil', '--outDir x']],
    ['eslint *', ['-c x', '--config=x', '--rulesdir x', '-f ./evil.js']],
  ])('%s covers no options that run programs or read other settings: %j', (pattern, more) => {
    const grants = [{ tool: 'bash', patterns: [pattern] }];
    const plain = pattern.replace(' *', ' src/a');
    expect(byGrants(grants, runs(plain))).toBe(`always bash "${pattern}"`);
    for (const words of more) expect(byGrants(grants, runs(pattern.replace('*', words))), words).toBeUndefined();
  });

  test('covers any words that are passed to a script or to tests', () => {
    const grants = [{ tool: 'bash', patterns: ['npm test *', 'cargo test *'] }];
    expect(byGrants(grants, runs('npm test -- --grep a', 'cargo test -- --nocapture'))).toBeDefined();
  });

  test('without a * covers exactly that command, of any program', () =>
    expect(problemOf(runs('npm config get x'), 'npm config get x')).toBe('granted: bash "npm config get x"'));

  test.each(['*', '* test', 'A=b npm *', 'npm test; ls', '$(x) *', '"npm" *'])(
    'is refused if it is not a plain pattern: %s',
    (typed) => expect(problemOf(runs('npm test'), typed)).not.toContain('granted'),
  );

  test('is refused if it does not cover all commands of the call', () =>
    expect(problemOf(runs('npm test', 'git add .'), 'npm test *')).toBe(
      '"npm test *" is refused: it does not cover `git add .` of this call',
    ));
});

describe('a grant typed for a file tool', () => {
  test('for a folder covers everything below the folder and nothing else', () => {
    const grant = readGrant(offer(edits('src/a/b.ts')), 'src/');
    expect(grant).toEqual({ tool: 'edit', folders: ['src'] });
    const grants = 'problem' in grant ? [] : [grant];
    expect(byGrants(grants, edits('src/deep/er.ts'))).toBe('always edit "src/"');
    for (const other of ['srcs/a.ts', 'lib/a.ts', 'src', 'SRC/a.ts', '/etc/src/a.ts'])
      expect(byGrants(grants, edits(other)), other).toBeUndefined();
    expect(byGrants(grants, { ...edits('src/a.ts'), tool: 'write' })).toBeUndefined();
    expect(byGrants(grants, { ...edits('src/a.ts'), confined: false })).toBeUndefined();
    expect(byGrants(grants, edits('src/a', { paths: [{ path: 'src/a', below: true }] }))).toBeUndefined();
  });

  test('for a file covers that file with any content, and its description states so', () => {
    const grant = readGrant(offer(edits('src/a.ts')), './src/a.ts');
    expect(grant).toEqual({ tool: 'edit', paths: ['src/a.ts'] });
    if ('problem' in grant) throw new Error(grant.problem);
    expect(byGrants([grant], edits('src/b.ts'))).toBeUndefined();
    expect(grantCovers(grant)).toBe('every call of edit on src/a.ts, with any content');
  });

  test('without text is refused, because the user might think that it covers only the displayed content', () =>
    expect(problemOf(edits('src/a.ts'), '')).toContain('another call may write different content'));

  test.each(['/', './', '.', '..', '../x/', 'src/../', '~/', '/etc/', 'src//', 'lib/', 'src/b.ts', 'src'])(
    'is refused for a path that is not the path of this call or not below the workspace: %s',
    (typed) => expect(problemOf(edits('src/a.ts'), typed)).not.toContain('granted'),
  );

  test('is refused for a path outside the workspace', () =>
    expect(problemOf(edits('/etc/x'), '/etc/x')).not.toContain('granted'));

  test('is offered with the names of the file and its folder', () => {
    expect(offeredPlaces(offer(edits('src/a/b.ts')))).toEqual(['src/a/b.ts', 'src/a/']);
    expect(offeredPlaces(offer(edits('a.ts')))).toEqual(['a.ts']);
    expect(offeredPlaces(offer(runs('npm test')))).toEqual([]);
  });
});

describe('`offeredPatterns`', () => {
  test('returns the command, then the patterns that can be granted for it, the narrowest first', () => {
    expect(offeredPatterns(offer(runs('npm test')))).toEqual(['npm test', 'npm test *']);
    expect(offeredPatterns(offer(runs('git status --short')))).toEqual([
      'git status --short',
      'git status --short *',
      'git status *',
    ]);
    expect(offeredPatterns(offer(runs('node build.js')))).toEqual(['node build.js']);
  });

  test('returns nothing for several commands, for words with signs of patterns, and for an edit', () => {
    for (const one of [runs('npm test', 'ls'), runs('ls *.ts'), runs("echo 'a"), edits('src/a.ts')])
      expect(offeredPatterns(offer(one))).toEqual([]);
  });
});

describe('a grant from another source than the prompt', () => {
  test('covers nothing if its pattern is too wide', () => {
    for (const pattern of ['sudo *', 'bash *', '* x', 'npm exec *', ''])
      expect(
        byGrants([{ tool: 'bash', patterns: [pattern] }], runs(pattern.replace('*', 'x'))),
        pattern,
      ).toBeUndefined();
    expect(byGrants([{ tool: 'edit', folders: [''] }], edits('a.ts'))).toBeUndefined();
  });

  test('is refused for a call that cannot be granted, for another tool, and for a place outside the workspace', () => {
    const unknown: RuledCall = { tool: 'x__y', effect: 'execute', confined: true, effects: {} };
    expect(grantProblem({ tool: 'x__y' }, unknown)).toBe('this call cannot be granted');
    expect(grantProblem({ tool: 'write', paths: ['a'] }, edits('a'))).toContain('the grant is for write');
    expect(grantProblem({ tool: 'edit', paths: ['a'], folders: ['../x'] }, edits('a'))).toContain(
      'is not a folder in the workspace',
    );
    expect(grantProblem({ tool: 'bash', commands: [['npm']], patterns: ['sudo *'] }, runs('npm'))).toContain('sudo');
  });
});

describe('a name that begins with ~', () => {
  test.each(['~/', '~/a.ts', '~root/'])(
    'is refused as a path in the workspace, even if the call is on such a path: %s',
    (typed) => {
      const path = typed.endsWith('/') ? `${typed}a.ts` : typed;
      expect(problemOf(edits(path), typed)).toContain('is not a path relative to the workspace');
    },
  );

  test.each(['~', '', '..', 'a//b'])('is refused as the folder of a grant, like other invalid names: %j', (folder) => {
    expect(grantProblem({ tool: 'edit', folders: [folder] }, edits(`${folder}/a.ts`))).toMatch(
      /is not a folder in the workspace|cannot be granted/,
    );
  });
});
