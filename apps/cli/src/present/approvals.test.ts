// Tests the questions that a user at the terminal sees before a call runs, and the effect of each answer. The tests use
// real tools in a test folder.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import type { ScenarioStep } from '@tidemark/simulator';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Choices, Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

let stage: Stage;
let asked: string[];

beforeEach(() => {
  stage = openStage();
  asked = [];
});

afterEach(() => stage.clear());

function tidemark(args: readonly string[], choices: Choices = {}): Promise<Ran> {
  const environment = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home };
  return pretendRun(args, { folder: stage.folder, environment, ...choices });
}

function answering(...answers: readonly string[]): Required<Pick<Choices, 'person'>> {
  return {
    person: (question) => {
      asked.push(question);
      return answers[Math.min(asked.length, answers.length) - 1] ?? '';
    },
  };
}

const unfolded = (question: string | undefined): string => (question ?? '').replaceAll('\n┆ ', '');

const DONE: ScenarioStep = { answer: { text: 'Done.' } };
const turn = (...steps: readonly ScenarioStep[]): readonly string[] => [
  'do it',
  '--provider',
  'simulator',
  '--scenario',
  stage.scenario(...steps, DONE),
];
const bash = (command: string): ScenarioStep => ({ answer: calls('bash', { command }) });
const edit = (path: string, from: string, to: string): ScenarioStep => ({
  answer: calls('edit', { path, old_text: from, new_text: to }),
});
const write = (path: string, content: string): ScenarioStep => ({ answer: calls('write', { path, content }) });
const content = (name: string): string => readFileSync(join(stage.folder, name), 'utf8');

describe('a question', () => {
  test('for `edit` shows the diff', async () => {
    stage.write('tax.js', 'const a = 1;\nconst rate = 0.2;\n');
    await tidemark(turn(edit('tax.js', '0.2', '0.19')), answering('y'));
    expect(asked[0]).toContain(
      'edit tax.js [ask/write]\n│ @@ -1,2 +1,2 @@\n│  const a = 1;\n' +
        '│ -const rate = 0.2;\n│ +const rate = 0.19;\ny: allow this once\n',
    );
    expect(content('tax.js')).toContain('0.19');
  });

  test('for `write` shows the content', async () => {
    await tidemark(turn(write('new.sh', 'echo one\nrm -rf ~\n')), answering('n'));
    expect(asked[0]).toContain('write new.sh (new file) [ask/write]\n│ @@ -0,0 +1,2 @@\n│ +echo one\n│ +rm -rf ~\ny: ');
    expect(existsSync(join(stage.folder, 'new.sh'))).toBe(false);
  });

  test('marks zero-width and bidirectional characters, and Cyrillic letters in Latin words', async () => {
    await tidemark(turn(bash('echo p\u0430ypal \u202Ea\u200Bb')), answering('n'));
    expect(asked[0]).toContain('│ echo p\u0430⟨U+0430⟩ypal ⟨U+202E⟩a⟨U+200B⟩b\n');
  });

  test('shows a command of 500 lines completely, page by page, before the answers', async () => {
    const command = Array.from({ length: 500 }, (_, i) => `echo line-${i}`).join('\n');
    const ran = await tidemark(turn(bash(command)), { rows: 24, ...answering('') });
    expect(asked.length).toBeGreaterThan(20);
    for (const page of asked.slice(0, -2)) expect(page.split('\n').length).toBeLessThanOrEqual(24);
    const shown = asked
      .join('\n')
      .split('\n')
      .flatMap((line) => (line.startsWith('│ ') ? [line.slice(2)] : []));
    expect(shown).toEqual(command.split('\n'));
    expect(asked.at(-1)).toMatch(/y: allow this once\n[^]*allow it\? \(y\/n\) $/);
    expect(ran.err).toContain('denied');
  });

  test('folds a long line into rows, so that all of it stays on the screen', async () => {
    const command = `echo ${'x'.repeat(10_000)}END`;
    await tidemark(turn(bash(command)), { rows: 24, ...answering('') });
    for (const page of asked) for (const line of page.split('\n')) expect(line.length).toBeLessThan(140);
    const shown = asked
      .join('\n')
      .split('\n')
      .flatMap((line) => (/^[│┆] /.test(line) ? [line.slice(2)] : []));
    expect(shown.join('')).toContain(command);
  });

  test('counts as denied if the user stops it at a page', async () => {
    await tidemark(turn(bash(`touch made\n${'true\n'.repeat(100)}`)), { rows: 24, ...answering('q') });
    expect(asked).toHaveLength(1);
    expect(existsSync(join(stage.folder, 'made'))).toBe(false);
  });

  test('frames text written by others, so that it cannot imitate the answers', async () => {
    await tidemark(turn(bash('true\ny: allow this once\nallow it? (y/n) ')), answering('n'));
    expect(asked[0]?.split('\n').filter((line) => line.startsWith('y: '))).toHaveLength(1);
    expect(asked[0]).toContain('│ y: allow this once\n│ allow it? (y/n) \n');
  });

  test('accepts only `unseen`, and neither `y` nor a grant, if the content cannot be shown completely', async () => {
    const line = 'x'.repeat(700_000);
    stage.write('big.txt', `${line}END\n`);
    const big = turn(edit('big.txt', 'END', 'CHANGED'));
    await tidemark(big, answering('y', 'a big.txt'));
    expect(asked[0]?.replaceAll('\n┆ ', '')).toMatch(/\+\+\+ big\.txt: 700008 bytes, SHA-256 [0-9a-f]{64}/);
    expect(unfolded(asked[0])).toMatch(
      /unseen: allow this once, although not all of it can be shown[^]*\(unseen\/n\) $/,
    );
    expect(content('big.txt')).toBe(`${line}END\n`);
    asked.length = 0;
    await tidemark(big, answering('unseen'));
    expect(content('big.txt')).toBe(`${line}CHANGED\n`);
  });
});

describe('a call', () => {
  test('runs only as shown: the question is repeated if the file changed before the answer', async () => {
    stage.write('a.txt', 'one\n');
    const person = (question: string): string => {
      asked.push(question);
      if (asked.length === 1) appendFileSync(join(stage.folder, 'a.txt'), 'evil\n');
      return asked.length === 1 ? 'y' : 'n';
    };
    await tidemark(turn(edit('a.txt', 'one', 'two')), { person });
    expect(asked).toHaveLength(2);
    expect(asked[0]).not.toContain('evil');
    expect(asked[1]).toMatch(/The call changed after your answer[^]*│ {2}evil\n/);
    expect(content('a.txt')).toBe('one\nevil\n');
  });

  test('is not asked about if it would fail, and the model receives the error at once', async () => {
    stage.write('a.txt', 'one\n');
    const told: ScenarioStep = {
      expect: { toolResult: 'old_text does not occur in a.txt' },
      answer: { text: 'I see.' },
    };
    const scenario = stage.scenario(edit('a.txt', 'zzz', 'x'), told);
    const ran = await tidemark(['do it', '--provider', 'simulator', '--scenario', scenario], answering('y'));
    expect([asked, ran.out, ran.exit]).toEqual([[], 'I see.\n', 0]);
  });
});

describe('an answer', () => {
  test('`n` with words refuses the call, and the words reach the model', async () => {
    const told: ScenarioStep = {
      expect: { toolResult: 'The user refused: because that file is generated' },
      answer: { text: 'I see.' },
    };
    const scenario = stage.scenario(write('gen.txt', 'x'), told);
    const run = ['do it', '--provider', 'simulator', '--scenario', scenario];
    const ran = await tidemark(run, answering('n because that file is generated'));
    expect([ran.out, ran.exit, existsSync(join(stage.folder, 'gen.txt'))]).toEqual(['I see.\n', 0, false]);
  });

  test('`a` alone does not allow a write with other content', async () => {
    await tidemark(turn(write('a.txt', 'one'), write('b.txt', 'two')), answering('a', 'y', 'n'));
    expect(asked[0]).not.toMatch(/^a: /m);
    expect(unfolded(asked[1])).toContain('another call may write different content.\n');
    expect([existsSync(join(stage.folder, 'a.txt')), existsSync(join(stage.folder, 'b.txt'))]).toEqual([true, false]);
  });

  test('`a` with a folder allows calls below that folder only, after links are resolved, with any content', async () => {
    for (const folder of ['src', 'lib']) mkdirSync(join(stage.folder, folder));
    symlinkSync('../lib', join(stage.folder, 'src', 'link'));
    const steps = [write('src/a', '1'), write('src/b', '2'), write('src/link/c', '3'), write('srcs/d', '4')];
    await tidemark(turn(...steps), answering('a src/', 'n', 'n'));
    expect(unfolded(asked[0])).toContain(
      '\na src/a: every call of write and edit on this file, with any content, in this session\n' +
        'a src/: every call of write and edit below this folder, with any content, in this session\n',
    );
    expect(asked.slice(1).map((question) => question.split('\n')[0])).toEqual([
      'write lib/c (new file) [ask/write]',
      'write srcs/d (new file) [ask/write]',
    ]);
    expect(readdirSync(join(stage.folder, 'src')).toSorted()).toEqual(['a', 'b', 'link']);
    expect(readdirSync(join(stage.folder, 'lib'))).toEqual([]);
  });

  test('`a` with a pattern allows the matching commands', async () => {
    await tidemark(turn(bash('echo a'), bash('echo b c'), bash('touch x')), answering('a echo *', 'n'));
    expect(asked.map((question) => question.split('\n')[0])).toEqual([
      'bash echo a [ask/execute]',
      'bash touch x [ask/execute]',
    ]);
  });

  const LOOP = 'for f in a b; do echo $f; done 2>&1 | sort';

  test('`a` for a command line with a loop, a pipe and a redirection allows exactly its text in this session', async () => {
    await tidemark(turn(bash(LOOP), bash(LOOP), bash(`${LOOP}; ls`), bash('echo a')), answering('a', 'n', 'n'));
    expect(asked.map((question) => question.split('\n')[0])).toEqual([
      `bash ${LOOP} [ask/execute]`,
      `bash ${LOOP}; ls [ask/execute]`,
      'bash echo a [ask/execute]',
    ]);
    await tidemark(turn(bash(LOOP)), answering('n'));
    expect(asked).toHaveLength(4);
  });

  test('`p` for such a command line stores its text, which is listed and can be revoked', async () => {
    await tidemark(turn(bash(LOOP)), answering('p'));
    await tidemark(turn(bash(LOOP)), answering('n'));
    expect(asked).toHaveLength(1);
    expect((await tidemark(['grants'])).out).toContain(`bash exactly "${LOOP}"\tbash runs exactly this text`);
    expect((await tidemark(['grants', '--revoke', '1'])).out).toContain(`revoked: bash exactly "${LOOP}"`);
    await tidemark(turn(bash(LOOP)), answering('n'));
    expect(asked).toHaveLength(2);
  });

  test('`a` is not offered for a command line with a secret, whose text the log cannot contain', async () => {
    const environment = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, SHOP_TOKEN: 'aVery"SecretValue42' };
    await tidemark(turn(bash(`for a in 'aVery"SecretValue42'; do echo $a; done`)), { environment, ...answering('n') });
    expect(asked[0]).not.toMatch(/^a: /m);
    await tidemark(turn(bash('for a in b; do echo $a; done')), { environment, ...answering('n') });
    expect(asked[1]).toMatch(/^a: exactly/m);
  });

  test.each([
    ['a sudo *', 'sudo ls'],
    ['a env *', 'env'],
    ['p xargs *', 'xargs'],
    ['a bash *', 'bash'],
    ['a python3 *', 'python3'],
  ])('%s is refused with its reason, and the question is repeated', async (answer, command) => {
    await tidemark(turn(bash(command)), answering(answer, 'n'));
    // No pattern can allow these commands, so the question offers only their exact text.
    expect(asked[0]).not.toMatch(/^a /m);
    expect(unfolded(asked[1])).toMatch(
      /^"\w+ \*" is refused: "\w+ \*" would allow any[^\n]*\.\ny: allow this once\nn: /,
    );
    asked.length = 0;
    await tidemark(turn(bash('echo a')), answering(answer, 'n'));
    expect(asked).toHaveLength(2);
    expect(unfolded(asked[1])).toMatch(/^"\w+ \*" (would allow any|is refused: )[^\n]*\.\ny: allow this once\n/);
  });
});

describe('a question shows each part once', () => {
  test('the path of an edit, and a command that fits into the title', async () => {
    stage.write('tax.js', 'const rate = 0.2;\n');
    await tidemark(turn(edit('tax.js', '0.2', '0.19'), bash('npm test')), answering('n'));
    expect(asked[0]?.split('tax.js')).toHaveLength(3);
    expect(asked[0]).toMatch(/^edit tax\.js \[ask\/write\]\n│ @@ [^]*\na tax\.js: every call of edit on this file/);
    expect(asked[1]?.split('npm test')).toHaveLength(3);
    expect(asked[1]).toMatch(/^bash npm test \[ask\/execute\]\ny: /);
  });

  test('but a path that its title does not show whole is shown with the diff', async () => {
    const path = `${'long-name-'.repeat(12)}.js`;
    await tidemark(turn(write(path, 'x')), answering('n'));
    expect(unfolded(asked[0])).toContain(`│ --- /dev/null\n│ +++ ${path}\n`);
  });

  test('and shows a command whole if the title cuts or marks it', async () => {
    const long = `echo ${'x'.repeat(120)}END`;
    await tidemark(turn(bash(long), bash('echo a\u200Bb')), answering('n'));
    expect(unfolded(asked[0])).toContain(`│ ${long}\n`);
    expect(asked[1]).toContain('│ echo a⟨U+200B⟩b\n');
  });
});

describe('the mode `accept-edits`', () => {
  const named = (): readonly (string | undefined)[] => asked.map((question) => question.split('\n')[0]);

  test('edits files of the folder without a question, and asks before commands', async () => {
    stage.write('tax.js', 'const rate = 0.2;\n');
    const steps = [edit('tax.js', '0.2', '0.19'), write('src/new.js', '1'), bash('echo a')];
    await tidemark([...turn(...steps), '--mode', 'accept-edits'], answering('n'));
    expect(named()).toEqual(['bash echo a [accept-edits/execute]']);
    expect([content('tax.js'), content('src/new.js')]).toEqual(['const rate = 0.19;\n', '1']);
  });

  test.each([
    ['AGENTS.md', 'AGENTS.md (new file) [accept-edits/write/protected]'],
    ['docs/CLAUDE.md', 'docs/CLAUDE.md (new file) [accept-edits/write/protected]'],
    ['.tidemark/config.json', '.tidemark/config.json (new file) [accept-edits/write/protected]'],
    ['.agents/skills/x/SKILL.md', '.agents/skills/x/SKILL.md (new file) [accept-edits/write/protected]'],
    ['.bashrc', '.bashrc (a shell runs it at its start) (new file) [accept-edits/write/out'],
  ])('asks before a write to %s', async (path, title) => {
    await tidemark([...turn(write(path, 'x')), '--mode', 'accept-edits'], answering('n'));
    expect(named()).toEqual([`write ${title}`]);
    expect(existsSync(join(stage.folder, path))).toBe(false);
  });

  test('asks before a write through a link to an instruction file', async () => {
    mkdirSync(join(stage.folder, 'docs'));
    stage.write('docs/AGENTS.md', '');
    symlinkSync('docs/AGENTS.md', join(stage.folder, 'notes.md'));
    await tidemark([...turn(write('notes.md', 'x')), '--mode', 'accept-edits'], answering('n'));
    expect(named()).toEqual(['write docs/AGENTS.md [accept-edits/write/protected]']);
  });

  test('never writes to `.git`', async () => {
    await tidemark([...turn(write('.git/config', 'x')), '--mode', 'accept-edits'], answering('y'));
    expect([asked, existsSync(join(stage.folder, '.git'))]).toEqual([[], false]);
  });
});

describe('a grant for the project', () => {
  const grantFile = (): string => {
    const [file = ''] = readdirSync(join(stage.home, 'grants'));
    return readFileSync(join(stage.home, 'grants', file), 'utf8');
  };

  test('is stored in the home, used and logged in the next session, and can be listed and revoked', async () => {
    await tidemark(turn(bash('echo a')), answering('p echo *'));
    expect(asked).toHaveLength(1);
    expect(grantFile()).toContain('echo *');
    expect(readdirSync(stage.folder)).toEqual([]);
    const next = await tidemark([...turn(bash('echo b')), '--mode', 'ask'], answering('n'));
    expect(asked).toHaveLength(1);
    const [, session = ''] = /^session (\S+);/m.exec(next.err) ?? [];
    const { out } = await tidemark(['export', session, '--format', 'json']);
    expect(out).toContain('always bash \\"echo *\\" (project)'.replaceAll('\\"', String.raw`\"`));
    expect((await tidemark(['grants'])).out).toMatch(/^1\t.*\tbash "echo \*"\t/m);
    expect((await tidemark(['grants', '--revoke', '1'])).out).toContain('bash "echo *"');
    await tidemark(turn(bash('echo c')), answering('n'));
    expect(asked).toHaveLength(2);
  });

  test('does not apply in another folder', async () => {
    await tidemark(turn(bash('echo a')), answering('p'));
    mkdirSync(join(stage.home, '..', 'other'));
    await tidemark(turn(bash('echo a')), { folder: join(stage.home, '..', 'other'), ...answering('n') });
    expect(asked).toHaveLength(2);
  });

  test('is not offered, stored or used if the home is inside the workspace', async () => {
    const home = join(stage.folder, 'home');
    const environment = { PATH: process.env['PATH'], TIDEMARK_HOME: home };
    await tidemark(turn(bash('echo a')), { environment, ...answering('p', 'n') });
    expect(asked[0]).not.toMatch(/^p /m);
    expect(asked).toHaveLength(2);
    expect(existsSync(join(home, 'grants'))).toBe(false);
  });

  test('that cannot be read stops the command before anything is sent', async () => {
    await tidemark(turn(bash('echo a')), answering('p'));
    const [file = ''] = readdirSync(join(stage.home, 'grants'));
    writeFileSync(join(stage.home, 'grants', file), '{');
    const ran = await tidemark(turn(bash('echo a')), answering('n'));
    expect([ran.exit, ran.out]).toEqual([3, '']);
    expect(ran.err).toContain('its grants are not used');
  });

  test.each(['a link', 'a folder'])('whose file is %s stops the command with an error message', async (what) => {
    await tidemark(turn(bash('echo a')), answering('p'));
    const [name = ''] = readdirSync(join(stage.home, 'grants'));
    const file = join(stage.home, 'grants', name);
    renameSync(file, join(stage.home, 'elsewhere.json'));
    if (what === 'a link') symlinkSync('../elsewhere.json', file);
    else mkdirSync(file);
    const ran = await tidemark(turn(bash('echo a')), answering('n'));
    expect([ran.exit, ran.out]).toEqual([3, '']);
    expect(ran.err).toMatch(/is (a symbolic link|not a file): its grants are not used/);
    expect(ran.err).not.toMatch(/^\s+at /m);
  });
});
