// Tests `tidemark run` and `tidemark "prompt"` against the simulator in this process, with real tools in a test folder.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { createSimulator } from '@tidemark/simulator';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Choices, Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

/** PNG image of one pixel, in base64. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let stage: Stage;

beforeEach(() => {
  stage = openStage();
});

afterEach(() => stage.clear());

/** Runs one command line in the test folder. There is no API key unless the test passes one. */
function tidemark(args: readonly string[], choices: Choices = {}): Promise<Ran> {
  const { environment = {}, ...rest } = choices;
  return pretendRun(args, {
    folder: stage.folder,
    environment: { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, ...environment },
    ...rest,
  });
}

function lastOf(ran: Ran): Readonly<Record<string, unknown>> {
  return JSON.parse(ran.out.trimEnd().split('\n').at(-1) ?? '{}');
}

function readsANote(): string {
  stage.write('note.txt', 'the word is swordfish\n');
  return stage.scenario(
    { expect: { lastUserText: 'find the word' }, answer: calls('read', { path: 'note.txt' }, 'I look.') },
    { expect: { toolResult: 'swordfish' }, answer: { text: 'It is swordfish.' } },
  );
}

describe('a prompt', () => {
  test('is answered on stdout, and tool runs and cost are printed on stderr', async () => {
    const ran = await tidemark(['find the word', '--provider', 'simulator', '--scenario', readsANote()]);
    expect(ran.out).toBe('I look.\nIt is swordfish.\n');
    expect(ran.err).toMatch(/^read note\.txt: ok, .*\ncompleted: 2 steps, 1 tool call; tokens: .*; \$0\.\d+\nsession /);
    expect(ran.exit).toBe(0);
  });

  test('can name files of the folder with @, and the model receives them as file parts', async () => {
    stage.write('note.txt', 'the word is swordfish\n');
    const script = stage.scenario({ expect: { lastUserText: '<file path="note.txt"/>' }, answer: { text: 'Seen.' } });
    const ran = await tidemark(['what says @note.txt?', '--provider', 'simulator', '--scenario', script]);
    expect([ran.out, ran.exit]).toEqual(['Seen.\n', 0]);
  });

  test('takes images from repeated --image options, and an unusable image is refused before anything is sent', async () => {
    writeFileSync(join(stage.folder, 'dot.png'), Buffer.from(DOT, 'base64'));
    stage.write('dot.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
    const script = stage.scenario({ answer: { text: 'Two dots.' } });
    const with2 = ['--image', 'dot.png', '--image', 'dot.png', 'how many?', '--provider', 'simulator'];
    const ran = await tidemark([...with2, '--scenario', script]);
    expect([ran.out, ran.exit]).toEqual(['Two dots.\n', 0]);
    const [, session = ''] = /^session (\S+);/m.exec(ran.err) ?? [];
    expect((await tidemark(['show', session, '0'])).out).toMatch(/user image.*image\/png, 70 bytes/);
    const seen = stage.scenario({ answer: { text: 'One.' } });
    const piped = { piped: Buffer.from(DOT, 'base64') };
    const asked = ['how many?', '--provider', 'simulator', '--image'];
    expect(await tidemark([...asked, '-', '--scenario', seen], piped)).toMatchObject({ out: 'One.\n', exit: 0 });
    expect(await tidemark([...asked, '-'])).toMatchObject({
      exit: 2,
      err: expect.stringContaining('pipe in one image'),
    });
    expect(await tidemark([...asked, 'dot.svg'])).toMatchObject({
      exit: 3,
      err: expect.stringMatching(
        /the image dot\.svg cannot be sent: its format is SVG, which no provider accepts.*\n.*use another image/,
      ),
    });
    expect(await tidemark([...asked, 'gone.png'])).toMatchObject({
      exit: 3,
      err: expect.stringContaining('the image gone.png does not exist'),
    });
  });

  test('needs no quotes after `run`, and can be piped in', async () => {
    const said = ['run', '--provider', 'simulator', '--scenario'];
    const words = await tidemark([...said, readsANote(), 'find', 'the', 'word']);
    const piped = await tidemark([...said, readsANote()], { piped: 'find the word\n' });
    expect([words.out, piped.out]).toEqual([words.out, words.out]);
    expect(words.exit).toBe(0);
  });

  test('is refused if it is empty, and nothing is sent', async () => {
    expect(await tidemark(['run', '--provider', 'simulator'])).toMatchObject({ exit: 2, out: '' });
    expect(await tidemark(['run', '--provider', 'simulator'], { piped: ' \n' })).toMatchObject({ exit: 2 });
  });

  test('is refused if it is a single word that is nearly a command name, and the error suggests the command', async () => {
    const ran = await tidemark(['sesions']);
    expect(ran).toMatchObject({ exit: 2, err: expect.stringContaining('did you mean sessions?') });
  });

  test('with --json is answered by one line per event, and the last line is the result', async () => {
    const ran = await tidemark(['find the word', '--json', '--provider', 'simulator', '--scenario', readsANote()]);
    const lines = ran.out
      .trimEnd()
      .split('\n')
      .map((line): { readonly type?: string } => JSON.parse(line));
    expect(lines[0]).toMatchObject({ type: 'session.opened', mode: 'read-only' });
    expect(new Set(lines.slice(1, -1).map((line) => line.type))).toEqual(
      new Set(['recorded', 'status.changed', 'text.delta']),
    );
    expect(lastOf(ran)).toMatchObject({
      ok: true,
      outcome: 'completed',
      text: 'It is swordfish.',
      totals: { steps: 2 },
    });
    expect(ran).toMatchObject({ exit: 0, err: '' });
  });
});

describe('--padding', () => {
  const asked = ['hello there', '--provider', 'simulator', '--model', 'claude-haiku-4-5', '--padding'];

  test.each([
    ['always', 'front padded, as configured ('],
    ['never', 'front not padded, as configured ('],
    ['auto', 'front padded: this was expected to save cost ('],
  ])('%s is applied to the session, and `show` reports the result', async (setting, told) => {
    const ran = await tidemark([...asked, setting, '--json']);
    const { session } = lastOf(ran);
    const shown = await tidemark(['show', String(session)]);
    expect(shown.out).toContain(`epoch 0, ${told}`);
    const { padding } = JSON.parse((await tidemark(['show', String(session), '--json'])).out);
    expect(padding).toMatchObject([{ epoch: 0, setting, floor: 4_096 }]);
  });

  test('is refused if it has any other value', async () => {
    expect(await tidemark([...asked, 'some'])).toMatchObject({ exit: 2 });
  });
});

describe('the API key', () => {
  test('is required before anything is sent, and the error suggests the simulator', async () => {
    const ran = await tidemark(['hello there', '--json']);
    expect(ran.exit).toBe(3);
    expect(lastOf(ran)).toMatchObject({
      ok: false,
      error: { code: 'cli/no-key', next: expect.stringContaining('--provider simulator') },
    });
    expect(existsSync(join(stage.home, 'sessions'))).toBe(false);
  });

  test('reaches neither the log nor the output, even if a tool reads it', async () => {
    const key = 'key-of-mine-7c1f9a40b2';
    stage.write('.config', `api=${key}\n`);
    const simulator = createSimulator({
      scenario: {
        steps: [
          { answer: calls('read', { path: '.config' }) },
          {
            expect: { check: (sent) => (JSON.stringify(sent).includes(key) ? 'the key' : undefined) },
            answer: { text: 'ok' },
          },
        ],
      },
    });
    const listening = await simulator.listen();
    const environment = { ANTHROPIC_API_KEY: key };
    const ran = await tidemark([`read ${key}`, '--json', '--base-url', listening.url], { environment });
    await listening.close();
    expect(ran.exit).toBe(0);
    expect(`${ran.out}${ran.err}`).not.toContain(key);
    expect(filesIn(stage.home).filter((path) => readFileSync(path, 'latin1').includes(key))).toEqual([]);
  });
});

describe('the mode', () => {
  const writes = (): string =>
    stage.scenario({ answer: calls('write', { path: 'new.txt', content: 'made' }) }, { answer: { text: 'So be it.' } });
  const args = (...more: readonly string[]): readonly string[] => [
    'make it so',
    '--provider',
    'simulator',
    '--scenario',
    writes(),
    ...more,
  ];
  const made = (): boolean => existsSync(join(stage.folder, 'new.txt'));

  test('is read-only if no question can be asked', async () => {
    const ran = await tidemark(args());
    expect({ made: made(), exit: ran.exit, err: ran.err }).toMatchObject({
      made: false,
      exit: 0,
      err: expect.stringContaining('write new.txt: denied'),
    });
  });

  test.each([
    ['y', true, 1],
    ['n', false, 1],
    ['', false, 2],
    ['sure', false, 2],
    ['a', false, 5],
  ])('asks the user at a terminal, who answers %j', async (answer, allowed, asked) => {
    const questions: string[] = [];
    const person = (question: string): string => {
      questions.push(question);
      return answer;
    };
    const ran = await tidemark(args(), { person });
    expect(questions[0]).toMatch(/^write new\.txt \(new file\) \[ask\/write\]\n[^]*\nallow it\? \(y\/n\) $/);
    expect(questions).toHaveLength(asked);
    expect({ made: made(), exit: ran.exit }).toEqual({ made: allowed, exit: 0 });
  });

  test('`auto` writes inside the folder without a question', async () => {
    await tidemark(args('--mode', 'auto'));
    expect(made()).toBe(true);
  });

  test.each([[['--ask']], [['--read-only', '--mode', 'auto']], [['--mode', 'yolo']]])(
    'given as %j is refused as wrong usage',
    async (more) => {
      expect(await tidemark(args(...more))).toMatchObject({ exit: 2, out: '' });
    },
  );
});

describe('a session', () => {
  const answers = (text: string): readonly string[] => [
    '--json',
    '--provider',
    'simulator',
    '--scenario',
    stage.scenario({ answer: { text } }),
  ];

  test('is continued with --continue if it is the newest of the folder', async () => {
    const first = lastOf(await tidemark(['one thing', ...answers('done')]));
    const second = lastOf(await tidemark(['another', '--continue', ...answers('done too')]));
    expect(second).toMatchObject({ ok: true, session: first['session'] });
  });

  test('is continued by its id, in its own folder, from any current folder', async () => {
    const first = lastOf(await tidemark(['one thing', ...answers('done')]));
    const ran = await tidemark(['another', '--session', String(first['session']), ...answers('done too')], {
      folder: '/',
    });
    expect(lastOf(ran)).toMatchObject({ ok: true, session: first['session'] });
  });

  test('has its prompt as its title in the list', async () => {
    await tidemark(['one thing\nand more', ...answers('done')]);
    const { out } = await tidemark(['sessions', '--workspace', stage.folder]);
    expect(out).toContain('\tone thing');
  });

  test('must exist, and --session cannot be combined with --continue', async () => {
    expect(await tidemark(['hi', '--continue', ...answers('x')])).toMatchObject({ exit: 3 });
    expect(await tidemark(['hi', '--session', 'none', ...answers('x')])).toMatchObject({ exit: 3 });
    expect(await tidemark(['hi', '--session', 'a', '--continue', ...answers('x')])).toMatchObject({ exit: 2 });
  });
});

describe('the end of a turn', () => {
  test('at a limit has exit code 1, and `resume` continues the turn', async () => {
    const scenario = readsANote();
    const limited = await tidemark([
      'find the word',
      '--max-steps',
      '1',
      '--json',
      '--provider',
      'simulator',
      '--scenario',
      scenario,
    ]);
    expect(limited.exit).toBe(1);
    expect(lastOf(limited)).toMatchObject({ ok: false, outcome: 'limited' });
    const rest = stage.scenario({ expect: { toolResult: 'swordfish' }, answer: { text: 'It is swordfish.' } });
    const resumed = await tidemark(['resume', '--provider', 'simulator', '--scenario', rest]);
    expect(resumed).toMatchObject({ exit: 0, out: 'It is swordfish.\n' });
  });

  test('at a cost limit comes before the model call that would exceed the limit', async () => {
    const ran = await tidemark(['find the word', '--max-cost=$0.0001', '--provider', 'simulator']);
    expect(ran).toMatchObject({ exit: 1, out: '', err: expect.stringMatching(/limited: 0 steps, .*; \$0\n/) });
  });

  test('by a provider error has exit code 5, and prints the error and the next step', async () => {
    const scenario = stage.scenario({ expect: { lastUserText: 'something else' }, answer: { text: 'no' } });
    const ran = await tidemark(['find the word', '--provider', 'simulator', '--scenario', scenario]);
    expect(ran.exit).toBe(5);
    expect(ran.err).toMatch(/error: .*something else[\s\S]*next: .*[\s\S]*failed: /);
    expect(ran.err).toContain('tidemark resume');
  });

  test('by Ctrl-C has exit code 130, and the session can be resumed', async () => {
    const controller = new AbortController();
    const simulator = createSimulator({
      onRequest: () => {
        controller.abort();
        return { fault: { kind: 'slow-first-byte', ms: 20_000 } };
      },
    });
    const listening = await simulator.listen();
    const ran = await tidemark(['find the word', '--base-url', listening.url], {
      environment: { ANTHROPIC_API_KEY: 'no-real-key-at-all' },
      signal: controller.signal,
    });
    await listening.close();
    expect(ran).toMatchObject({ exit: 130, err: expect.stringContaining('interrupted: ') });
    expect(await tidemark(['resume', '--provider', 'simulator'])).toMatchObject({ exit: 0 });
  });
});

describe('a step that rewrites the cached prefix', () => {
  const toAnotherModel = (...more: readonly string[]): readonly string[] => [
    'and now?',
    '--continue',
    '--model=claude-opus-5-5',
    '--rewrite-notice=500',
    '--provider=simulator',
    ...more,
  ];
  const words = 'the model changed: [\\d,]+ tokens are written again, \\$0\\.0\\d+';

  test('asks the user at a terminal first, and the answer "n" sends nothing', async () => {
    await tidemark(['hello there', '--provider', 'simulator']);
    const questions: string[] = [];
    const person = (question: string): string => {
      questions.push(question);
      return 'n';
    };
    const ran = await tidemark(toAnotherModel('--ask'), { person });
    expect(questions).toEqual([expect.stringMatching(new RegExp(`^${words}\\. Send it\\? \\(y/n\\) $`))]);
    expect(ran).toMatchObject({ exit: 1, out: '', err: expect.stringContaining('step 1 was not sent') });
    const next = await tidemark(['resume', '--provider', 'simulator']);
    expect(next).toMatchObject({ exit: 0, err: expect.not.stringContaining('written again') });
  });

  test('prints one notice on stderr if no question can be asked', async () => {
    await tidemark(['hello there', '--provider', 'simulator']);
    const ran = await tidemark(toAnotherModel());
    expect(ran.exit).toBe(0);
    expect(ran.err).toMatch(new RegExp(`\nnotice: ${words}\\. `));
    expect(ran.err.match(/written again/g)).toHaveLength(1);
  });
});

describe('a limit option', () => {
  test.each([
    ['--max-cost', 'much'],
    ['--max-cost', '-1'],
    ['--max-steps', '0'],
    ['--max-tokens', '1.5'],
    ['--rewrite-notice', '0'],
  ])('%s %s is refused as wrong usage', async (option, value) => {
    expect(await tidemark(['hi there', `${option}=${value}`])).toMatchObject({ exit: 2, out: '' });
  });
});

test('an overflow is compacted automatically, and with `--compaction manual` the error names `tidemark compact` instead', async () => {
  const message = 'prompt is too long: 250000 tokens > 200000 maximum';
  const tooLong = stage.scenario({ fault: { kind: 'refused', message } }, { answer: { text: 'Done.' } });
  const by = (policy: string): Promise<Ran> =>
    tidemark(['hello there', '--provider', 'simulator', '--scenario', tooLong, '--compaction', policy]);
  const manual = await by('manual');
  expect(manual).toMatchObject({ exit: 5, err: expect.stringContaining('tidemark compact') });
  expect(manual.err).not.toContain('overflow_recovery');
  expect((await by('preflight')).err).toContain('overflow_recovery');
  expect(await by('never')).toMatchObject({ exit: 2 });
});

test('a model that is not in the catalog is refused', async () => {
  const ran = await tidemark(['hi there', '--provider', 'simulator', '--model', 'gpt-sonet']);
  expect(ran).toMatchObject({ exit: 3, err: expect.stringContaining('has no model "gpt-sonet"') });
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
