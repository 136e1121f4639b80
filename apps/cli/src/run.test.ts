// Tests the frame, which is the code that runs every command: what it prints on each stream, and its exit code.

import { LogError } from '@tidemark/log';
import { describe, expect, test } from 'vitest';

import { pretendRun, pretendStore } from '../tests/pretend-run.ts';
import type { Command, CommandContext } from './frame/command.ts';
import { EXIT } from './frame/exit-codes.ts';
import { CliError } from './frame/failure.ts';
import { withStyle } from './frame/shown.ts';

function commandThat(action: (context: CommandContext) => Promise<void>): readonly Command[] {
  return [
    {
      name: 'act',
      summary: 'acts',
      examples: [['tidemark act', 'does it']],
      declare: (command, run) =>
        void command.argument('[word]').action(() => run((context) => action(context).then(() => undefined))),
    },
  ];
}

function failing(error: unknown): readonly Command[] {
  return commandThat(() => Promise.reject(error));
}

test('the exit codes are pinned', () => {
  expect(EXIT).toEqual({
    ok: 0,
    difference: 1,
    usage: 2,
    refused: 3,
    corrupt: 4,
    provider: 5,
    busy: 6,
    bug: 70,
    interrupted: 130,
    unread: 141,
  });
});

describe('results', () => {
  const commands = commandThat(async ({ output }) => {
    output.result({ answer: 42 }, () => ['the answer is ', withStyle('bold', '42')]);
    output.note('on the side');
  });

  test('go to stdout as text, and notices go to stderr', async () => {
    expect(await pretendRun(['act'], { commands })).toEqual({
      exit: 0,
      out: 'the answer is 42\n',
      err: 'on the side\n',
    });
  });

  test('go to stdout as one JSON object with --json', async () => {
    expect(await pretendRun(['act', '--json'], { commands })).toMatchObject({ exit: 0, out: '{"answer":42}\n' });
  });

  test('have colours only on a terminal', async () => {
    const { out } = await pretendRun(['act'], { commands, colour: true });
    expect(out).toBe('the answer is \u001b[1m42\u001b[22m\n');
  });

  test('contain no escape sequence or bidirectional control from the content', async () => {
    const evil = 'a\u001b[2Jb\u001b]0;title\u0007c\u202Ed\u009b31me\rf\u2066g';
    const shows = commandThat(async ({ output }) => {
      output.result({ evil }, () => [evil, withStyle('red', evil)]);
      output.table({ head: ['x'], rows: [[evil], [withStyle('red', evil)]] });
    });
    const text = (await pretendRun(['act'], { commands: shows })).out;
    const json = (await pretendRun(['act', '--json'], { commands: shows })).out;
    expect(`${text}${json}`).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    expect(JSON.parse(json)).toEqual({ evil });
  });
});

describe('errors', () => {
  const notFound = failing(new CliError('cli/not-found', 'no such file: x', 'check the path'));

  test('go to stderr for people, with the next step', async () => {
    const ran = await pretendRun(['act'], { commands: notFound });
    expect(ran).toEqual({ exit: 3, out: '', err: 'error: no such file: x\nnext: check the path\n' });
  });

  test('go to stdout as { ok: false, error } with --json', async () => {
    const ran = await pretendRun(['act', '--json'], { commands: notFound });
    const error = { code: 'cli/not-found', message: 'no such file: x', next: 'check the path' };
    expect(ran).toEqual({ exit: 3, out: `${JSON.stringify({ ok: false, error })}\n`, err: '' });
  });

  test.each([
    ['log/missing', EXIT.refused],
    ['log/locked', EXIT.busy],
    ['log/damaged', EXIT.corrupt],
    ['artifact/damaged', EXIT.corrupt],
    ['log/closed', EXIT.bug],
  ] as const)('of a log (%s) end with exit code %i', async (code, exit) => {
    expect(await pretendRun(['act'], { commands: failing(new LogError(code, 'x')) })).toMatchObject({ exit });
  });

  test.each([
    [Object.assign(new Error('too long'), { code: 'provider/too-long' }), EXIT.provider],
    [Object.assign(new Error('empty'), { code: 'import/empty' }), EXIT.refused],
    [Object.assign(new Error('gone'), { code: 'ENOENT' }), EXIT.refused],
    [Object.assign(new Error('in use'), { code: 'EADDRINUSE' }), EXIT.refused],
    [new Error('surprise'), EXIT.bug],
    ['a string', EXIT.bug],
  ])('have the exit code of their error code: %s', async (error, exit) => {
    expect(await pretendRun(['act'], { commands: failing(error) })).toMatchObject({ exit });
  });

  test('of usage suggest the nearest command or option', async () => {
    const commands = commandThat(async () => undefined);
    const command = await pretendRun(['akt', '--json'], { commands });
    expect(command.exit).toBe(2);
    expect(JSON.parse(command.out)).toEqual({
      ok: false,
      error: { code: 'cli/unknown-command', message: 'there is no command "akt"', next: 'did you mean act?' },
    });
    const option = await pretendRun(['act', '--jsn'], { commands });
    expect(option).toMatchObject({ exit: 2, out: '', err: expect.stringContaining('did you mean --json?') });
  });

  test.each([
    [['frob', '--help'], 'error: there is no command "frob"\nnext: `tidemark --help` lists the commands\n'],
    [['shwo', '--help'], 'error: there is no command "shwo"\nnext: did you mean `tidemark show --help`?\n'],
    [['help', 'shwo'], 'error: there is no command "shwo"\nnext: did you mean `tidemark show --help`?\n'],
    [
      ['shwo'],
      'error: there is no command "shwo"\nnext: did you mean show? To send the word as a prompt: `tidemark run "shwo"`\n',
    ],
    [
      ['show'],
      'error: the argument <session> is missing\nnext: name a session, or add `--last` for the newest session of this folder; `tidemark sessions` lists them\n',
    ],
    [['show', '--frob', 'x'], 'error: there is no option --frob\nnext: see `tidemark show --help`\n'],
    [['run', '--model'], 'error: the option --model <model> needs a value\nnext: see `tidemark run --help`\n'],
    [
      ['run', '--mode', 'fast', 'x'],
      'error: --mode does not accept "fast": expected one of read-only, ask, accept-edits, auto\nnext: see `tidemark run --help`\n',
    ],
    [
      ['keys', 'frob'],
      'error: <action> does not accept "frob": expected one of list, set, remove\nnext: see `tidemark keys --help`\n',
    ],
  ])('of usage name the mistake and the next step: %j', async (args, err) => {
    expect(await pretendRun(args)).toEqual({ exit: 2, out: '', err });
  });

  test.each(['Authorization: Bearer tk-31f0', 'Authorization Bearer tk-31f0'])(
    'of usage never contain the value of a header: %j',
    async (header) => {
      const { exit, out, err } = await pretendRun(['run', '--header', header, 'hello there']);
      expect({ exit, out }).toEqual({ exit: 2, out: '' });
      expect(err).toMatch(/^error: .+\nnext: .+/);
      expect(err).not.toContain('tk-31f0');
    },
  );

  test.each([
    ['ENOENT', '/w/a.json does not exist', 'check the path'],
    ['EISDIR', '/w/a.json is a folder', 'use a file, not a folder'],
    ['EACCES', 'the system refused access to /w/a.json', 'fix the permissions, or run the command as the owner'],
  ])('of the system (%s) name the path and the next step in plain words', async (code, message, next) => {
    const error = Object.assign(new Error(`${code}: words of the system`), { code, path: '/w/a.json' });
    expect((await pretendRun(['act'], { commands: failing(error) })).err).toBe(`error: ${message}\nnext: ${next}\n`);
  });

  test('contain the next step once, also if the message of the library ends with it', async () => {
    const error = new LogError(
      'log/missing',
      'There is no session x; `tidemark sessions` lists the existing sessions.',
    );
    expect((await pretendRun(['act'], { commands: failing(error) })).err).toBe(
      'error: There is no session x\nnext: `tidemark sessions` lists the existing sessions\n',
    );
  });

  test('of usage are reported for too many arguments', async () => {
    const commands = commandThat(async () => undefined);
    expect(await pretendRun(['act', 'a', 'b'], { commands })).toMatchObject({ exit: 2, out: '' });
  });
});

describe('help', () => {
  test('is printed on stdout for a command line without arguments', async () => {
    const ran = await pretendRun([]);
    expect(ran).toMatchObject({ exit: 0, err: '' });
    expect(ran.out).toContain('Usage: tidemark');
  });

  test('has an example and --json for every command', async () => {
    const all = (await pretendRun(['--help'])).out.matchAll(/^ {2}([a-z]+) \[options\]/gm);
    const names = [...all].map((match) => match[1] ?? '');
    expect(names.length).toBeGreaterThan(2);
    for (const name of names) {
      const { exit, out } = await pretendRun([name, '--help']);
      expect({ name, exit }).toEqual({ name, exit: 0 });
      expect(out).toMatch(/--json/);
      expect(out).toMatch(new RegExp(`Examples:\n {2}tidemark ${name}`));
    }
  });

  test('includes `--version`, which prints the version', async () => {
    expect(await pretendRun(['--version'])).toEqual({ exit: 0, out: '1.2.3\n', err: '' });
  });
});

test('an interrupted command ends with 130, even if it throws an error', async () => {
  const controller = new AbortController();
  const commands = commandThat(async () => {
    controller.abort();
    throw new Error('cut');
  });
  expect(await pretendRun(['act'], { commands, signal: controller.signal })).toEqual({ exit: 130, out: '', err: '' });
});

test("all data is in TIDEMARK_HOME, or by default in the user's home folder", async () => {
  const commands = commandThat(async ({ home, output }) => output.line(home));
  const asked = await pretendRun(['act'], { commands, environment: { TIDEMARK_HOME: '/somewhere/else' } });
  expect(asked.out).toBe('/somewhere/else\n');
  expect((await pretendRun(['act'], { commands })).out).toBe('/nobody/.tidemark\n');
});

test('a command runs another command line with its own output, folder and signal, and with the same store', async () => {
  const seen: unknown[] = [];
  const commands: readonly Command[] = [
    ...commandThat(async (context) => {
      if (context.line[1] !== 'inner') {
        const texts: string[] = [];
        const sink = { write: (text: string) => void texts.push(text), terminal: false, colour: false };
        const place = { out: { ...sink, columns: 40 }, err: sink, folder: '/elsewhere', signal: context.signal };
        const exit = await context.runLine(['act', 'inner'], place);
        seen.push(exit, texts.join(''), (await context.store()).home);
        context.output.line('outer');
        return;
      }
      seen.push(context.folder, context.input.terminal, (await context.store()).home);
      context.output.line('inner');
      throw new CliError('cli/refused', 'no', 'try again');
    }),
  ];
  expect(await pretendRun(['act'], { commands, store: pretendStore() })).toMatchObject({ out: 'outer\n', err: '' });
  const home = '/nobody/.tidemark';
  expect(seen).toEqual(['/elsewhere', false, home, 3, 'inner\nerror: no\nnext: try again\n', home]);
});

test('a command line inside a command never becomes a prompt', async () => {
  const texts: string[] = [];
  const commands: readonly Command[] = [
    {
      name: 'run',
      summary: 'sends a prompt',
      examples: [['tidemark run', 'sends it']],
      declare: (command, run) =>
        void command.argument('[words...]').action(() => run(async () => void texts.push('sent'))),
    },
    ...commandThat(async (context) => {
      const sink = { write: (text: string) => void texts.push(text), terminal: false, colour: false };
      const place = { out: { ...sink, columns: 40 }, err: sink, folder: '/elsewhere', signal: context.signal };
      expect(await context.runLine(['nothing', 'like', 'it'], place)).toBe(EXIT.usage);
    }),
  ];
  expect(await pretendRun(['act'], { commands })).toMatchObject({ exit: 0 });
  expect(texts.join('')).toBe('error: there is no command "nothing"\nnext: `tidemark --help` lists the commands\n');
});
