// Tests programs of hooks with real processes: input and answers, failures, limits, the environment, the sandbox, and
// the end of everything that a program started.

import type { HookAnswer, HookInput, Notice } from '@tidemark/agent';
import { sessionId, turnId } from '@tidemark/log';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_SANDBOX } from '../../tests/sandboxed-bash.ts';
import type { HookPlace, HookProgram } from './hook-program.ts';
import { createHookPrograms } from './hook-program.ts';

// The sandbox covers `/tmp`, so the folder is in another place.
const root = realpathSync(mkdtempSync('/var/tmp/tidemark-hooks-'));
const workspace = join(root, 'workspace');
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeAll(() => {
  mkdirSync(workspace);
  writeFileSync(join(root, 'file.txt'), 'of the user');
});

const INPUT: HookInput = {
  version: 1,
  event: 'before-prompt',
  session: sessionId('s1'),
  turn: turnId('t1'),
  workspace,
  mode: 'ask',
  prompt: 'Ünïcode, and a line\nbreak',
};

const PLACE: HookPlace = { workspace, environment: process.env };

interface Ran {
  readonly answer: Promise<HookAnswer | undefined>;
  readonly notices: Notice[];
  stop(): void;
}

interface RunOptions extends Partial<Omit<HookPlace, 'sandbox'>> {
  readonly input?: HookInput;
  readonly sandboxed?: true;
}

function start(run: HookProgram['run'], { input = INPUT, sandboxed, ...place }: RunOptions = {}): Ran {
  const hook = createHookPrograms({ ...PLACE, ...place })({
    name: 'it',
    run,
    folder: root,
    ...(sandboxed && { sandbox: true }),
  });
  const abort = new AbortController();
  const notices: Notice[] = [];
  const context = { signal: abort.signal, notice: (notice: Notice) => void notices.push(notice) };
  const answer = Promise.resolve(hook(input, context)).then((given) => given ?? undefined);
  return { answer, notices, stop: () => abort.abort() };
}

const answerOf = (...given: Parameters<typeof start>): Promise<HookAnswer | undefined> => start(...given).answer;

/** Returns the processes whose command line ends with the text. */
function running(text: string): readonly string[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,stat=,args='], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.endsWith(text) && !/^\s*\d+\s+Z/.test(line));
}

/** Returns the processes that do not end. The guard of a program ends a moment after the program. */
async function remaining(text: string): Promise<readonly string[]> {
  for (let round = 0; round < 500 && running(text).length > 0; round += 1) await pause(10);
  return running(text);
}

describe('the program of a hook', () => {
  test('gets one JSON object on stdin, and its note is the answer', async () => {
    const script =
      "const text = require('fs').readFileSync('/dev/stdin', 'utf8'); console.log(JSON.stringify({ note: text }))";
    const answer = await answerOf([process.execPath, '-e', script]);
    expect(JSON.parse(answer?.note ?? '')).toEqual(INPUT);
  });

  test('gets an input that is larger than a pipe, also if it does not read it', async () => {
    const input = { ...INPUT, prompt: 'x'.repeat(3_000_000) };
    expect(await answerOf('wc -c', { input }).catch(String)).toContain('has another form');
    expect(await answerOf(`printf '{"note":"%s"}' "$(wc -c)"`, { input })).toEqual({
      note: String(JSON.stringify(input).length),
    });
    expect(await answerOf('true', { input })).toEqual({});
  });

  test.each([
    ['nothing', 'true', {}],
    ['an empty object', 'echo {}', {}],
    ['a denial', `echo '{"deny":"no"}'`, { deny: 'no' }],
    ['both', `echo '{"deny":"no","note":"yes"}'`, { deny: 'no', note: 'yes' }],
    ['the exit code 2 and a text on stderr', 'echo out; echo not that >&2; exit 2', { deny: 'not that' }],
    ['the exit code 2 and /dev/stderr', 'echo not that > /dev/stderr; exit 2', { deny: 'not that' }],
  ])('answers with %s', async (_name, line, answer) => {
    expect(await answerOf(line)).toEqual(answer);
  });

  test('adds its stderr as a note with the exit code 2 where nothing can be denied', async () => {
    const input: HookInput = { ...INPUT, event: 'turn-ended', outcome: 'completed', text: '' };
    expect(await answerOf('echo format the file >&2; exit 2', { input })).toEqual({ note: 'format the file' });
  });

  test.each([
    ['ends with another code', 'echo broken >&2; exit 3', 'it ended with the exit code 3: broken'],
    ['is killed', 'kill -9 $$', 'it ended by SIGKILL'],
    ['writes no JSON', 'echo fine', 'its output is not JSON'],
    ['writes two objects', 'echo {}; echo {}', 'its output is not JSON'],
    ['writes a list', 'echo []', 'its output has another form'],
    ['allows', `echo '{"allow":true}'`, 'its output has another form'],
    ['writes too much', 'head -c 70000 /dev/zero', 'it wrote more than 64 KiB to stdout'],
    ['writes without end', 'yes', 'it wrote more than 64 KiB to stdout'],
    ['does not exist', ['/nowhere/hook'], 'it ended with the exit code 127'],
  ])('fails if it %s', async (_name, run, message) => {
    await expect(answerOf(run)).rejects.toThrow(message);
  });

  test('may write any amount to stderr', async () => {
    expect(await answerOf('head -c 5000000 /dev/zero >&2; echo {}')).toEqual({});
  });

  test('runs in its folder with the variables of a command, and without secrets', async () => {
    const environment = { ...process.env, DEPLOY_TOKEN: 'secret', OTHER: 'x', NAMED: 'passed' };
    const line = `printf '{"note":"%s"}' "$(pwd) $HOOK_WORKSPACE [$DEPLOY_TOKEN$OTHER] $NAMED"`;
    expect(await answerOf(line, { environment, variables: ['NAMED'] })).toEqual({
      note: `${root} ${workspace} [] passed`,
    });
  });
});

describe('the end of a program', () => {
  test('ends all processes that it started, also those with a session of their own', async () => {
    const seconds = `3${process.pid}`;
    expect(await answerOf(`setsid sleep ${seconds} & sleep ${seconds} & echo {}`)).toEqual({});
    expect(await remaining(`sleep ${seconds}`)).toEqual([]);
  });

  test('follows an interrupt at once, also if the program ignores signals', async () => {
    const seconds = `4${process.pid}`;
    const ran = start(`trap '' TERM INT; touch ${root}/begun; sleep ${seconds}; sleep ${seconds}`);
    for (let round = 0; round < 500 && !existsSync(join(root, 'begun')); round += 1) await pause(10);
    ran.stop();
    await expect(ran.answer).rejects.toThrow('it ended');
    expect(await remaining(`sleep ${seconds}`)).toEqual([]);
  });

  test('follows a SIGKILL of this program', async () => {
    const seconds = `5${process.pid}`;
    const module = new URL('hook-program.ts', import.meta.url).href;
    const starter = join(root, 'start.ts');
    writeFileSync(
      starter,
      `import { createHookPrograms } from ${JSON.stringify(module)};
       const run = createHookPrograms({ workspace: '/' })({ name: 'it', run: "trap '' TERM HUP; echo begun >&2; touch ${root}/started; sleep ${seconds} & sleep ${seconds}" });
       await run({ version: 1, event: 'before-prompt' }, { signal: new AbortController().signal, notice() {} });`,
    );
    const child = spawn(process.execPath, [starter], { stdio: 'inherit' });
    for (let round = 0; round < 1_000 && !existsSync(join(root, 'started')); round += 1) await pause(10);
    for (let round = 0; round < 500 && running(`sleep ${seconds}`).length < 2; round += 1) await pause(10);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await remaining(`sleep ${seconds}`)).toEqual([]);
  });
});

describe('a program in the sandbox', () => {
  test('does not run where there is no sandbox, and a session gets one notice', async () => {
    const notices: Notice[] = [];
    const run = createHookPrograms({ ...PLACE, sandbox: 'never' })({
      name: 'theirs',
      run: `touch ${root}/ran`,
      sandbox: true,
    });
    const context = { signal: new AbortController().signal, notice: (notice: Notice) => void notices.push(notice) };
    expect(await run(INPUT, context)).toEqual({});
    expect(await run(INPUT, context)).toEqual({});
    expect(existsSync(join(root, 'ran'))).toBe(false);
    expect(notices).toMatchObject([
      { code: 'hook/no-sandbox', message: expect.stringContaining('the hook theirs did not run') },
    ]);
  });

  test.skipIf(NO_SANDBOX !== undefined)('runs in the workspace, and reaches no network and no other file', async () => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const line = [
      `(exec 9<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && open=network`,
      `echo x 2>/dev/null > ${root}/file.txt`,
      'cat > copy.json',
      `printf '{"note":"%s"}' "$(pwd) $HOOK_WORKSPACE $open"`,
    ].join('; ');
    expect(await answerOf(line, { sandboxed: true })).toEqual({ note: `${workspace} ${workspace} ` });
    expect(await answerOf(['bash', '-c', line], { sandboxed: true })).toEqual({ note: `${workspace} ${workspace} ` });
    expect(readFileSync(join(root, 'file.txt'), 'utf8')).toBe('of the user');
    expect(JSON.parse(readFileSync(join(workspace, 'copy.json'), 'utf8'))).toEqual(INPUT);
    server.close();
  });
});
