import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Rule, RuleSet } from '../rules/rule.ts';
import type { CallEffects, PossibleCommand } from '../rules/ruled-call.ts';
import type { Verdict } from './judge.ts';
import { judgeByRules } from './judge.ts';
import { readRules } from './read-rules.ts';

const TOOLS = [
  { name: 'bash', effectKinds: ['commands'] },
  { name: 'write', effectKinds: ['paths'] },
  { name: 'read', effectKinds: ['paths'] },
  { name: 'fetch', effectKinds: ['hosts'] },
] as const;

const ASKS: Verdict = { decision: 'asks', rule: 'ask/execute' };

function rules(...given: readonly Rule[]): RuleSet {
  const read = readRules(given, TOOLS);
  if ('problems' in read) throw new Error(read.problems.join('; '));
  return read;
}

const said = ({ decision, rule }: Verdict): string => `${decision} ${rule}`;

function judge(
  set: RuleSet,
  tool: string,
  effects: CallEffects | undefined,
  byMode: Verdict = ASKS,
  confined = true,
): string {
  const effect = tool === 'write' ? 'write' : 'execute';
  return said(judgeByRules(byMode, set, { tool, effect, confined, ...(effects !== undefined && { effects }) }));
}

const runs = (...plain: readonly string[]): CallEffects => {
  const commands = plain.map((one) => one.split(' '));
  return { commands: { plain: commands, possible: commands } };
};
const might = (...possible: readonly PossibleCommand[]): CallEffects => ({ commands: { plain: undefined, possible } });
const touches = (path: string, below = false): CallEffects => ({ paths: [{ path, below }] });

const bash = (decision: Rule['decision'], ...commands: readonly string[]): Rule => ({
  decision,
  tool: 'bash',
  commands,
});
const write = (decision: Rule['decision'], ...paths: readonly string[]): Rule => ({ decision, tool: 'write', paths });

describe('permission rules', () => {
  test('do not allow a call that asks for more than its sandbox gives', () => {
    const beyond: CallEffects = { ...runs('npm install'), beyond: ['the network'] };
    const set = rules(bash('allow', 'npm install'));
    expect(judge(set, 'bash', runs('npm install'))).toBe('allowed allow bash "npm install"');
    expect(judge(set, 'bash', beyond)).toBe('asks ask/execute');
  });

  test('do not allow such a call by a rule for the whole tool either', () => {
    const set = rules({ decision: 'allow', tool: 'fetch' });
    expect(judge(set, 'fetch', { hosts: ['a.example'] })).toBe('allowed allow fetch');
    expect(judge(set, 'fetch', { hosts: ['a.example'], beyond: ['the network'] })).toBe('asks ask/execute');
    expect(judge(set, 'fetch', { beyond: ['the network'] })).toBe('asks ask/execute');
  });

  test('deny before they ask and ask before they allow, in any order of the rules', () => {
    const all = [bash('allow', 'npm test'), bash('ask', 'npm test'), bash('deny', 'npm test')];
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: 1 }), (some) => {
        const [strictest] = (['deny', 'ask', 'allow'] as const).filter((one) => some.some((r) => r.decision === one));
        const verdict = { deny: 'denied', ask: 'asks', allow: 'allowed' }[strictest ?? 'deny'];
        expect(judge(rules(...some), 'bash', runs('npm test'))).toBe(`${verdict} ${strictest} bash "npm test"`);
      }),
    );
  });

  test('never widen what the mode denies', () => {
    const denied: Verdict = { decision: 'denied', rule: 'read-only/execute' };
    const set = rules(bash('allow', 'npm test'), bash('ask', 'npm test'));
    expect(judge(set, 'bash', runs('npm test'), denied)).toBe('denied read-only/execute');
  });

  test('narrow what the mode allows', () => {
    const allowed: Verdict = { decision: 'allowed', rule: 'auto/execute/sandboxed' };
    const set = rules(bash('deny', 'git push'), bash('ask', 'npm publish'));
    expect(judge(set, 'bash', runs('git push origin'), allowed)).toBe('denied deny bash "git push"');
    expect(judge(set, 'bash', runs('npm publish'), allowed)).toBe('asks ask bash "npm publish"');
    expect(judge(set, 'bash', runs('npm test'), allowed)).toBe('allowed auto/execute/sandboxed');
  });

  test('allow a call only if each of its commands is allowed, by one rule or by several', () => {
    const set = rules(bash('allow', 'npm test'), bash('allow', 'git status *'));
    expect(judge(set, 'bash', runs('npm test', 'git status -s'))).toBe(
      'allowed allow bash "npm test" + allow bash "git status *"',
    );
    expect(judge(set, 'bash', runs('npm test', 'rm x'))).toBe('asks ask/execute');
    expect(judge(set, 'bash', runs('npm test --force'))).toBe('asks ask/execute');
    expect(judge(set, 'bash', runs('/tmp/npm test'))).toBe('asks ask/execute');
    expect(judge(set, 'bash', might(['npm', 'test']))).toBe('asks ask/execute');
    expect(judge(set, 'bash', { commands: { plain: [], possible: [] } })).toBe('asks ask/execute');
    expect(judge(set, 'bash', undefined)).toBe('asks ask/execute');
  });

  test.each([
    [
      'git clone *',
      ['git clone -u ./x a b', 'git clone -qu ./x a', 'git clone --upload-p=./x a', 'git clone ext::./x b'],
    ],
    ['git clone a *', ['git clone a -c core.fsmonitor=./x', 'git clone a --config core.fsmonitor=./x']],
    ['git push *', ['git push --receive-pack=./x y', 'git push --receive-p=./x y']],
    ['git log *', ['git log --output=x', 'git log --outp x']],
    ['git rebase *', ['git rebase -x ./x main', 'git rebase --exec ./x main', 'git rebase -ix ./x main']],
    ['git grep *', ['git grep -nO./x y', 'git grep --open-files-in-pager=./x y']],
    ['tar *', ['tar cf a b --to-c=./x', 'tar -cIf ./x a b', 'tar cIf ./x a b']],
    ['sort *', ['sort -uo x y', 'sort --compress-prog=./x y']],
    ['rg *', ['rg --pre ./x y', 'rg --pre=./x y']],
    [
      'npm *',
      [
        'npm exec ./x',
        'npm x ./x',
        'npm test --script-shell=./x',
        'npm --prefix x test',
        'npm exe ./x',
        'npm init x',
        'npm innit x',
        'npm create x',
        'npm explore x -- id',
        'npm config set script-shell ./x',
      ],
    ],
    ['python3 *.py', ['python3 -cimport.os.py']],
    ['make *', ['make SHELL=./x', 'make --eval=x', 'make -f x', 'make -C x']],
    ['go *', ['go run x', 'go test -exec=./x', 'go build -toolexec ./x']],
    ['node scripts/*', ['node scripts/../../tmp/x.js', 'node scripts/..']],
  ])('never let a * match a way to run something else: %s', (pattern, commands) => {
    for (const command of commands)
      expect(judge(rules(bash('allow', pattern)), 'bash', runs(command)), command).toBe('asks ask/execute');
    const [first = ''] = commands;
    expect(judge(rules(bash('allow', pattern, first)), 'bash', runs(first))).toMatch(/^allowed/);
  });

  test('let a * match harmless words', () => {
    const set = rules(
      bash(
        'allow',
        'git log *',
        'git --no-pager log *',
        'git push *',
        'git switch *',
        'tar *',
        'sort *',
        'npm *',
        'go *',
        'node scripts/*',
      ),
    );
    for (const command of [
      'git log --oneline -5',
      'git --no-pager log',
      'git push -u origin main',
      'git switch -c x',
      'tar czf a b',
      'sort -u x',
      'npm test -- --run',
      'go test ./...',
      'node scripts/a/b.js',
    ])
      expect(judge(set, 'bash', runs(command)), command).toMatch(/^allowed/);
  });

  test.each([
    [['git', 'push']],
    [['/usr/bin/GIT', 'PUSH', 'origin']],
    [['git', '-C', '.', '--no-pager', 'push']],
    [['git', undefined]],
    [[undefined, 'push']],
    [[undefined]],
  ])('deny every command that may be the denied command, in any spelling: %j', (command) => {
    expect(judge(rules(bash('deny', 'git push')), 'bash', might(command))).toBe('denied deny bash "git push"');
  });

  test.each([[['git', 'commit', '-m', 'push']], [['git', 'status', undefined]], [['grep', 'git', 'push']], [['git']]])(
    'do not apply to a different command: %j',
    (command) => {
      expect(judge(rules(bash('deny', 'git push')), 'bash', might(command))).toBe('asks ask/execute');
    },
  );

  test.each([
    [['git', 'push', '--force']],
    [['git', '--force', 'push']],
    [['git', 'push', '--forc']],
    [['git', 'push', '--FORCE']],
    [['git', 'push', undefined]],
  ])('deny an option at any position, also in a shortened form: %j', (command) => {
    expect(judge(rules(bash('deny', 'git push --force')), 'bash', might(command))).toMatch(/^denied/);
    expect(judge(rules(bash('deny', 'git push --force')), 'bash', might(['git', 'push', 'x']))).toMatch(/^asks/);
  });

  test.each([[['rm', '-fr', 'x']], [['rm', '-r', 'x', '-f']], [['rm', '-vRf', 'x']]])(
    'deny a cluster of options in any order: %j',
    (command) => {
      expect(judge(rules(bash('deny', 'rm -rf *')), 'bash', might(command))).toMatch(/^denied/);
    },
  );

  test('judge hostile input, such as a command of 50,000 words, without failing', () => {
    const command = ['git', ...Array.from({ length: 50_000 }, () => '-c'), 'status'];
    expect(judge(rules(bash('deny', 'git push now')), 'bash', might(command))).toBe('asks ask/execute');
    const stars = rules(bash('deny', `a ${'*a'.repeat(50)}b`));
    expect(judge(stars, 'bash', might(['a', 'a'.repeat(10_000)]))).toBe('asks ask/execute');
  });
});

describe('rules on paths', () => {
  const allowing = rules(write('allow', 'src/**', '*.md'));

  test('allow only paths that match literally', () => {
    for (const path of ['src/a.ts', 'src/a/b.ts', 'README.md', 'docs/x.md'])
      expect(judge(allowing, 'write', touches(path)), path).toMatch(/^allowed/);
    for (const path of ['srcs/a', 'SRC/a', 'a/src/x', 'README.md/x', 'ſrc/a', 'src%2Fa', ''])
      expect(judge(allowing, 'write', touches(path)), path).toBe('asks ask/execute');
  });

  test('never allow a path outside the workspace, even with a pattern that matches it', () => {
    const all = rules(write('allow', '**'), { decision: 'allow', tool: 'write' });
    expect(judge(all, 'write', touches('/etc/passwd'), ASKS, false)).toBe('asks ask/execute');
    expect(judge(all, 'write', touches('a'))).toMatch(/^allowed/);
  });

  test('allow a whole folder only if everything in it is allowed', () => {
    expect(judge(allowing, 'write', touches('src', true))).toMatch(/^allowed/);
    expect(judge(allowing, 'write', touches('', true))).toMatch(/^asks/);
  });

  test('deny a path and everything below it, in any spelling that some file system treats as the same', () => {
    const set = rules(write('deny', 'secrets', 'conf/é/*.key'));
    for (const path of [
      'secrets',
      'secrets/a/b',
      'deep/secrets/a',
      'SECRETS/a',
      'ſecrets/a',
      'sec\u200crets/a',
      'ｓecrets',
      'conf/e\u0301/x.KEY',
      'conf/E\u0301/x.key',
    ])
      expect(judge(set, 'write', touches(path)), path).toMatch(/^denied/);
    for (const path of ['secret', 'secrets2/a', 'conf/e/x.key'])
      expect(judge(set, 'write', touches(path)), path).toMatch(/^asks/);
  });

  test('deny a folder that contains a denied path', () => {
    const set = rules(write('deny', 'a/secrets/**'));
    expect(judge(set, 'write', touches('', true))).toMatch(/^denied/);
    expect(judge(set, 'write', touches('a', true))).toMatch(/^denied/);
    expect(judge(set, 'write', touches('a'))).toMatch(/^asks/);
    expect(judge(set, 'write', touches('b', true))).toMatch(/^asks/);
  });

  test('deny a call if the tool does not report its paths', () => {
    expect(judge(rules(write('deny', 'a')), 'write', {})).toMatch(/^denied/);
  });
});

describe('rules on hosts', () => {
  const fetch = (decision: Rule['decision'], ...hosts: readonly string[]): Rule => ({ decision, tool: 'fetch', hosts });
  const reaches = (...hosts: readonly string[]): CallEffects => ({ hosts });

  test('allow a call only if each of its hosts matches literally', () => {
    const set = rules(fetch('allow', 'example.com', '*.docs.dev'));
    expect(judge(set, 'fetch', reaches('example.com', 'a.docs.dev'))).toMatch(/^allowed/);
    for (const host of ['example.com.', 'a.example.com', 'docs.dev', 'evildocs.dev', 'example.com.evil.dev'])
      expect(judge(set, 'fetch', reaches('example.com', host)), host).toMatch(/^asks/);
  });

  test('deny a host and its subdomains, in any spelling', () => {
    for (const host of ['example.com', 'EXAMPLE.com.', 'a.example.com', 'ｅxample.com'])
      expect(judge(rules(fetch('deny', 'example.com')), 'fetch', reaches(host)), host).toMatch(/^denied/);
    expect(judge(rules(fetch('deny', 'example.com')), 'fetch', reaches('notexample.com'))).toMatch(/^asks/);
  });
});

test('a rule for an MCP server matches its exact name and not a server whose name begins in the same way', () => {
  const set = rules({ decision: 'allow', tool: 'github__*' }, { decision: 'deny', tool: 'github__delete' });
  expect(judge(set, 'github__search', undefined)).toBe('allowed allow github__*');
  expect(judge(set, 'github__delete', undefined)).toBe('denied deny github__delete');
  expect(judge(set, 'github2__search', undefined)).toBe('asks ask/execute');
});
