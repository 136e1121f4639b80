import { describe, expect, test } from 'vitest';
import { readRules } from './read-rules.ts';

const TOOLS = [
  { name: 'bash', effectKinds: ['commands'] },
  { name: 'write', effectKinds: ['paths'] },
  { name: 'fetch', effectKinds: ['hosts'] },
  { name: 'plan' },
] as const;

function problems(...rules: readonly unknown[]): readonly string[] {
  const read = readRules(rules, TOOLS);
  return 'problems' in read ? read.problems : [];
}

describe('a rule that is read', () => {
  test('is accepted if it is valid', () => {
    expect(
      problems(
        { decision: 'allow', tool: 'bash', commands: ['npm test', 'git status *', 'npm run test:*', 'node a.js *'] },
        { decision: 'allow', tool: 'bash', commands: ['sudo systemctl restart shop', 'cd docs'] },
        { decision: 'allow', tool: 'write', paths: ['src/**', '*.md', 'docs/'] },
        { decision: 'allow', tool: 'fetch', hosts: ['example.com', '*.example.com', '[::1]'] },
        { decision: 'allow', tool: 'github__*' },
        { decision: 'deny', tool: 'bash', commands: ['sudo *', 'git push'] },
        { decision: 'deny', tool: '*' },
        { decision: 'ask', tool: 'github__merge' },
      ),
    ).toEqual([]);
  });

  test.each([
    [{ decison: 'deny', tool: 'bash' }, 'rules[0]: a rule has no field decison, did you mean decision?'],
    [{ decision: 'allw', tool: 'plan' }, 'rules[0]: decision must be one of allow, ask, deny, did you mean allow?'],
    [{ decision: 'deny', tool: 'bsah' }, 'rules[0]: there is no tool bsah, did you mean bash?'],
    [{ decision: 'deny', tool: 'bash', paths: ['a'] }, 'rules[0]: bash reports no paths: use commands'],
    [
      { decision: 'deny', tool: 'plan', hosts: ['a.b'] },
      'rules[0]: plan reports no hosts: add `describeEffects.hosts` to the tool if it is your own, or remove hosts from the rule',
    ],
    [
      { decision: 'deny', tool: 'bash', commands: ['a'], hosts: ['b'] },
      'rules[0]: a rule cannot have commands and hosts: write a rule for each',
    ],
    [{ decision: 'deny', tool: 'bash', commands: [] }, 'rules[0]: commands must be a list of at least one string'],
    [{ decision: 'deny', tool: 'bash', commands: 'rm' }, 'rules[0]: commands must be a list of at least one string'],
    [{ decision: 'deny' }, 'rules[0]: tool must be the name of a tool'],
    ['deny bash', 'rules[0]: expected an object: { decision, tool }'],
    [
      { decision: 'allow', tool: 'bash' },
      'rules[0]: the rule would allow every command of bash: list the allowed ones in commands',
    ],
  ])('is refused if it is not valid, with the nearest valid name: %j', (rule, problem) => {
    expect(problems(rule)).toEqual([problem]);
  });

  test.each(['*', 'b*', '__*', '*__*', 'write*'])('cannot allow tools by a * unless it names a server: %s', (tool) => {
    expect(problems({ decision: 'allow', tool })).toEqual([
      expect.stringContaining('tools that the rule does not name'),
    ]);
  });

  test.each([
    ['*', /any program/],
    ['np* test', /any program/],
    ['FOO=1 npm test', /sets a variable/],
    ['sudo *', /the exact command/],
    ['/usr/bin/env *', /the exact command/],
    ['timeout 10 *', /the exact command/],
    ['xargs *', /the exact command/],
    ['cd *', /the exact command/],
    ['export *', /the exact command/],
    ['find . *', /the exact command/],
    ['sh *', /name the file/],
    ['bash -c *', /name the file/],
    ['node *', /name the file/],
    ['python3.12 -c *', /name the file/],
    ['deno eval *', /name the file/],
    ['sed s/a/b/ *', /the exact command/],
    ['psql shop *', /the exact command/],
    ['vim a *', /the exact command/],
    ['npm test; rm', /command in plain words/],
    ['npm test && ls', /command in plain words/],
    ['echo $HOME', /command in plain words/],
    ['git commit -m "x"', /command in plain words/],
    ['npm\ntest', /command in plain words/],
    ['', /command in plain words/],
  ])('cannot allow a pattern that matches arbitrary commands: %s', (command, why) => {
    expect(problems({ decision: 'allow', tool: 'bash', commands: [command] })).toEqual([expect.stringMatching(why)]);
  });

  test.each([
    ['git @ *', /"@" is not a subcommand of git/],
    ['git --no-pager push/x', /"push\/x" is not a subcommand of git/],
    ['FOO=1 npm test', /sets a variable/],
    ['-rf x', /"-rf" is an option/],
    ['bin/ *', /"bin\/" is a folder/],
  ])('is refused in each decision if no command can match its pattern: %s', (command, why) => {
    for (const decision of ['allow', 'ask', 'deny'])
      expect(problems({ decision, tool: 'bash', commands: [command] })).toEqual([expect.stringMatching(why)]);
  });

  test.each([
    'git *',
    '/usr/bin/GIT *',
    'git --no-pager *',
    'git -C sub *',
    'git -c x.y=z *',
    'git st* *',
    'git s*',
    'git -C * status',
    'git config *',
    'git submodule *',
    'git bisect *',
    'git.exe *',
    'git config --global *',
    'git config set *',
    'git submodule foreach *',
    'git bisect run *',
    'git --attr-source x *',
  ])('cannot allow arbitrary code by git, and its error lists subcommands that only read: %s', (command) => {
    const [problem = ''] = problems({ decision: 'allow', tool: 'bash', commands: [command] });
    expect(problem).toContain('would allow any code, because git runs programs');
    expect(problem).toContain('"git status *", "git diff *", "git log *", "git show *"');
  });

  test('can allow subcommands of git and can deny all of git', () => {
    const read = [
      'git status *',
      'git diff *',
      'git -C sub log *',
      'git push *',
      'git config --get *',
      'git bisect good *',
      'git submodule status *',
      'git config x.y z',
    ];
    expect(problems({ decision: 'allow', tool: 'bash', commands: read })).toEqual([]);
    expect(problems({ decision: 'deny', tool: 'bash', commands: ['git *', 'git config *'] })).toEqual([]);
  });

  test.each(['/etc/**', '~/x', '../x', 'a/../b', 'a//b', './a', '', 'a\\b', '{a,b', '!a', '[ab]'])(
    'is refused if a path is absolute or not in its plain form: %s',
    (path) => {
      expect(problems({ decision: 'allow', tool: 'write', paths: [path] })).toHaveLength(1);
    },
  );

  test.each(['https://example.com', 'example.com:80', 'Example.com', 'a*.com', '*', 'example.com/x', ''])(
    'is refused if a host is not a plain host name: %s',
    (host) => {
      expect(problems({ decision: 'allow', tool: 'fetch', hosts: [host] })).toHaveLength(1);
    },
  );
});
