// Tests how the command line becomes a prompt. It tests piped input with words, and single words that look like a
// command.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { ScenarioStep } from '@tidemark/simulator';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Choices, Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

let stage: Stage;

beforeEach(() => {
  stage = openStage();
});

afterEach(() => stage.clear());

function tidemark(args: readonly string[], choices: Choices = {}): Promise<Ran> {
  const environment = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home };
  return pretendRun(args, { folder: stage.folder, environment, ...choices });
}

/** Returns true if no session was created, so nothing was sent. */
function isUntouched(): boolean {
  return !existsSync(join(stage.home, 'sessions'));
}

describe('piped input', () => {
  const simulated = (...steps: readonly ScenarioStep[]): readonly string[] => [
    '--provider',
    'simulator',
    '--scenario',
    stage.scenario(...steps),
  ];

  test.each([
    ['two words', ['explain this']],
    ['one word', ['explain']],
    ['`run`', ['run', 'explain', 'this']],
  ])('is sent with %s as a separate part, with its name and size', async (_, words) => {
    const log = 'line one\nerror: swordfish\n';
    const script = simulated({
      expect: {
        check: (sent) => (sent.lastUserText.includes(`stdin (${log.length} bytes):\n${log}`) ? undefined : 'the log'),
      },
      answer: { text: 'It fails.' },
    });
    const ran = await tidemark([...words, ...script], { piped: log });
    expect(ran).toMatchObject({ exit: 0, out: 'It fails.\n' });
    const [, session = ''] = /^session (\S+);/m.exec(ran.err) ?? [];
    expect((await tidemark(['sessions'])).out).toContain(words.filter((word) => word !== 'run').join(' '));
    expect((await tidemark(['show', session, '0'])).out).toContain('stdin (26 bytes)');
  });

  test('is sent with --json too', async () => {
    const script = simulated({ expect: { lastUserText: 'swordfish' }, answer: { text: 'Seen.' } });
    const ran = await tidemark(['explain it', '--json', ...script], { piped: 'swordfish' });
    expect(ran).toMatchObject({ exit: 0, err: '' });
    expect(ran.out).toContain('"text":"Seen."');
  });

  test('is cut if it is long, and the model can read the full text with a tool', async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}\n`).join('');
    const script = simulated({ answer: { text: 'Cut.' } });
    const first = await tidemark(['explain it', '--json', ...script], { piped: lines });
    const output =
      /first 1999 of 5000 lines are shown\. To read the complete output, use output_read with output ([0-9a-f]{64})/.exec(
        first.out,
      )?.[1];
    expect(output).toBeDefined();
    const reads = simulated(
      { answer: calls('output_read', { output, offset: 4_990 }) },
      { expect: { toolResult: 'line 5000' }, answer: { text: 'Read.' } },
    );
    const second = await tidemark(['read the end', '--continue', ...reads]);
    expect(second).toMatchObject({ exit: 0, out: 'Read.\n' });
    expect((await tidemark(['doctor'])).out).not.toContain('missing');
  });

  test('is masked like all recorded text', async () => {
    const value = ['pa55', 'w0rd', 'x9y8'].join('-');
    const environment = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, DEPLOY_TOKEN: value };
    const script = simulated({ expect: { lastUserText: '[secret:DEPLOY_TOKEN]' }, answer: { text: 'Masked.' } });
    const ran = await tidemark(['explain it', '--json', ...script], { piped: `token ${value}\n`, environment });
    expect(ran.exit).toBe(0);
    expect(ran.out).not.toContain(value);
  });

  test.each([
    ['binary', Buffer.from([1, 0, 2])],
    ['text in Latin-1', Buffer.from('gr\xfc\xdfe', 'latin1')],
  ])('is refused if it is %s, and nothing is sent', async (_, piped) => {
    for (const words of [['explain it'], ['run'], ['-']]) {
      const ran = await tidemark([...words, '--provider', 'simulator'], { piped });
      expect(ran).toMatchObject({
        exit: 3,
        out: '',
        err: expect.stringMatching(/the piped input is binary.*\nnext: /),
      });
    }
    expect(isUntouched()).toBe(true);
  });

  test('is refused if it is an image, and the error names `--image -`', async () => {
    const piped = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
    const ran = await tidemark(['explain it', '--provider', 'simulator'], { piped });
    expect(ran).toMatchObject({ exit: 3, err: expect.stringContaining('`--image -`') });
  });

  test('is the prompt if the command line has no words, or only `-`', async () => {
    const answer = { expect: { lastUserText: 'find the word' }, answer: { text: 'Found.' } };
    for (const words of [['run'], ['-'], ['run', '-']])
      expect(await tidemark([...words, ...simulated(answer)], { piped: 'find the word\n' })).toMatchObject({
        exit: 0,
        out: 'Found.\n',
      });
    expect(await tidemark(['-', '--provider', 'simulator'])).toMatchObject({ exit: 2 });
  });

  test('is ignored if it is empty', async () => {
    const ran = await tidemark(['say it', ...simulated({ answer: { text: 'Said.' } })], { piped: '' });
    expect(ran).toMatchObject({ exit: 0, out: 'Said.\n', err: expect.not.stringContaining('stdin') });
  });

  test('leaves no way to ask the user: a notice is printed at a terminal, and --ask is refused', async () => {
    const watched = await tidemark(['explain it', ...simulated({ answer: { text: 'Seen.' } })], {
      piped: 'swordfish',
      colour: true,
    });
    expect(watched.err).toContain('stdin is the piped input (9 bytes), so no question can be asked');
    const asked = await tidemark(['explain it', '--ask', '--provider', 'simulator'], { piped: 'swordfish' });
    expect(asked).toMatchObject({
      exit: 2,
      err: expect.stringContaining('mode ask needs a terminal, but stdin is a pipe'),
    });
  });
});

describe('the check for a single word', () => {
  test.each([
    ['history', 'tidemark sessions'],
    ['login', 'tidemark keys set'],
    ['hello', 'tidemark --help'],
    ['constructor', 'tidemark --help'],
  ])('refuses %s, names the alternative, and shows how to send the word as a prompt', async (word, hint) => {
    const ran = await tidemark([word, '--provider', 'simulator']);
    expect(ran).toMatchObject({ exit: 2, out: '' });
    expect(ran.err).toContain(`there is no command "${word}"`);
    expect(ran.err).toContain(hint);
    expect(ran.err).toContain(`as a prompt: \`tidemark run "${word}"\``);
    const json = await tidemark([word, '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, error: { code: 'cli/unknown-command' } });
    expect(await tidemark([word], { piped: '' })).toMatchObject({ exit: 2 });
    expect(isUntouched()).toBe(true);
  });

  test.each([
    ['history ', 'history '],
    ['\u00a0history\t', '\u00a0history<U+0009>'],
    ['hist\u200bory', 'hist<U+200B>ory'],
    ['\u2060log\u00adin\ufeff', '<U+2060>log<U+00AD>in<U+FEFF>'],
    ['ｈｉｓｔｏｒｙ', 'ｈｉｓｔｏｒｙ'],
  ])('ignores spaces and invisible characters: %j', async (word, shown) => {
    const name = word.includes('log') ? 'login' : 'history';
    for (const words of [[word], [word, ' \u200b']]) {
      const ran = await tidemark([...words, '--provider', 'simulator']);
      expect(ran).toMatchObject({ exit: 2, out: '' });
      expect(ran.err).toContain(`there is no command "${shown}", read as "${name}"`);
      expect(ran.err).toContain(`as a prompt: \`tidemark run "${name}"\``);
    }
    expect(isUntouched()).toBe(true);
  });

  test('suggests a similar command, and shows how to send the word as a prompt', async () => {
    const ran = await tidemark(['sesions']);
    expect(ran.err).toContain('did you mean sessions? To send the word as a prompt: `tidemark run "sesions"`');
  });

  test.each([
    ['/cost', '/cost is a command of the interactive terminal', '`tidemark cost` is the command of that name'],
    ['/theme', '/theme is a command of the interactive terminal', 'open the terminal with `tidemark`'],
    ['/verify', 'there is no slash command /verify', 'did you mean `tidemark verify`?'],
    ['/cots', 'there is no slash command /cots', 'did you mean `tidemark cost`?'],
    ['/them', 'there is no slash command /them', 'did you mean /theme of the interactive terminal?'],
  ])('does not send %s, and names a next step that works', async (word, message, next) => {
    const ran = await tidemark([word, '--provider', 'simulator']);
    expect(ran).toMatchObject({ exit: 2, out: '' });
    expect(ran.err).toContain(`error: ${message}\nnext: ${next}`);
    expect(isUntouched()).toBe(true);
  });

  test.each([[['/usr']], [['run', '/cots']]])('sends %j as a prompt', async (words) => {
    const script = stage.scenario({ answer: { text: 'Hello.' } });
    const ran = await tidemark([...words, '--provider', 'simulator', '--scenario', script]);
    expect(ran).toMatchObject({ exit: 0, out: 'Hello.\n' });
  });

  test.each([
    ['y', 0, 'Hello.\n'],
    ['n', 2, ''],
    ['', 2, ''],
  ])('asks at a terminal: the answer %j ends with exit code %i', async (answer, exit, out) => {
    const questions: string[] = [];
    const person = (question: string): string => {
      questions.push(question);
      return answer;
    };
    const script = stage.scenario({ answer: { text: 'Hello.' } });
    const ran = await tidemark(['hello', '--provider', 'simulator', '--scenario', script], { person });
    expect(questions).toEqual([expect.stringMatching(/^there is no command "hello": .*as a prompt\? \(y\/n\) $/)]);
    expect(ran).toMatchObject({ exit, out });
  });

  test.each([[['run', 'hello']], [['hello there']], [['hello', 'there']], [['hello?']], [['erkläre']], [['修复测试']]])(
    'accepts %j as a prompt without a question',
    async (words) => {
      const script = stage.scenario({ answer: { text: 'Hello.' } });
      expect(await tidemark([...words, '--provider', 'simulator', '--scenario', script])).toMatchObject({ exit: 0 });
    },
  );

  test('accepts a single word with --continue', async () => {
    const script = (): string => stage.scenario({ answer: { text: 'Hello.' } });
    await tidemark(['hello there', '--provider', 'simulator', '--scenario', script()]);
    const ran = await tidemark(['--continue', 'yes', '--provider', 'simulator', '--scenario', script()]);
    expect(ran).toMatchObject({ exit: 0, out: 'Hello.\n' });
  });
});
