// Tests the agent as a separate process. The test uses a real tool in a real folder and a simulator that listens on a
// port. It also tests Ctrl-C, and reads the log afterwards.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

import type { ListeningSimulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import type { ScenarioStep } from '@tidemark/simulator';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';

import type { Stage } from '../tests/scenario.ts';
import { calls, openStage } from '../tests/scenario.ts';

const BIN = inject('command');

let stage: Stage;
let listening: ListeningSimulator | undefined;

beforeEach(() => {
  stage = openStage();
});

afterEach(async () => {
  await listening?.close();
  stage.clear();
});

async function listen(...steps: readonly ScenarioStep[]): Promise<readonly string[]> {
  listening = await createSimulator({ scenario: { steps } }).listen();
  return ['--base-url', listening.url, '--mode', 'auto', '--allow-unsandboxed'];
}

function start(args: readonly string[]): ChildProcess & { readonly stdout: NodeJS.ReadableStream } {
  const environment = { ...process.env, TIDEMARK_HOME: stage.home, ANTHROPIC_API_KEY: 'no-real-key-at-all' };
  return spawn(process.execPath, [BIN, ...args], {
    cwd: stage.folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function tidemark(...args: readonly string[]): Promise<Ended> {
  const child = start(args);
  const code = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), child.stderr === null ? '' : text(child.stderr)]);
  return { code: await code, out, err };
}

/**
 * Returns the id of the only session in the test's home folder. Fails if the home does not contain exactly one session.
 */
async function theSession(): Promise<string> {
  const listed = await tidemark('sessions', '--json');
  const { sessions }: { readonly sessions: readonly { readonly session: string }[] } = JSON.parse(listed.out);
  expect(sessions.length).toBe(1);
  return sessions[0]?.session ?? '';
}

test('a run changes the folder, and `verify`, `why` and `show` accept the log of the run', async () => {
  const reach = await listen(
    { answer: calls('bash', { command: 'printf made > made.txt && echo done here' }, 'I make it.') },
    { expect: { toolResult: 'done here' }, answer: { text: 'It is made.' } },
  );
  const ran = await tidemark('make the file', ...reach);
  expect(ran).toMatchObject({ code: 0, out: 'I make it.\nIt is made.\n' });
  expect(ran.err).toMatch(/^bash printf made .*: ok, /m);
  expect(readFileSync(join(stage.folder, 'made.txt'), 'utf8')).toBe('made');

  expect(await tidemark('resume', ...reach)).toMatchObject({ code: 3, out: '' });
  const session = await theSession();
  const looks = await Promise.all(
    [
      ['verify', session],
      ['why', session],
      ['show', session],
    ].map((args) => tidemark(...args)),
  );
  expect(looks.map(({ code, err }) => ({ code, err }))).toEqual(looks.map(() => ({ code: 0, err: '' })));
  expect(looks[0]?.out).toMatch(
    /2 requests rebuilt, all bytes identical\n {2}\d+ breaks? with a recorded cause, 0 without/,
  );
});

test('Ctrl-C during a tool run ends the process with 130, and `resume` continues the turn', async () => {
  const reach = await listen(
    { answer: calls('bash', { command: 'echo began; sleep 60' }) },
    { answer: { text: 'I was cut off, and go on.' } },
  );
  const child = start(['wait a while', '--json', ...reach]);
  const code = new Promise((resolve) => child.on('close', resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('"tool.started"')) child.kill('SIGINT');
  }
  expect(await code).toBe(130);

  const resumed = await tidemark('resume', ...reach);
  expect(resumed).toMatchObject({ code: 0, out: 'I was cut off, and go on.\n' });
  expect(await tidemark('verify', await theSession())).toMatchObject({ code: 0 });
});

test('`resume` reports the tool name, not the id, of a call that a killed process left open', async () => {
  const reach = await listen(
    { answer: calls('bash', { command: 'echo began; sleep 4' }) },
    { answer: { text: 'It was cut off.' } },
  );
  const child = start(['wait a while', '--json', ...reach]);
  const ended = new Promise((resolve) => child.on('close', resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('"tool.started"')) child.kill('SIGKILL');
  }
  await ended;
  const resumed = await tidemark('resume', ...reach);
  expect(resumed).toMatchObject({ code: 0, out: 'It was cut off.\n' });
  expect(resumed.err).toMatch(/^bash echo began; sleep 4: crashed/m);
});

test('piped input is sent together with the words of the command line, and a stdin that stays open without data does not block the run', async () => {
  const reach = await listen({ answer: { text: 'Seen.' } }, { answer: { text: 'Unseen.' } });
  const environment = { ...process.env, TIDEMARK_HOME: stage.home, ANTHROPIC_API_KEY: 'no-real-key-at-all' };
  const line = `printf 'swordfish\\n' | "$0" "$@"`;
  const args = ['-c', line, process.execPath, BIN, 'explain', '--json', ...reach];
  const piped = spawn('sh', args, { cwd: stage.folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const heard = await text(piped.stdout);
  expect(heard).toContain('stdin (10 bytes):\\nswordfish\\n');
  expect(heard).toContain('"text":"Seen."');

  const held = spawn(process.execPath, [BIN, 'say it', ...reach], {
    cwd: stage.folder,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([text(held.stdout), text(held.stderr)]);
  expect(out).toBe('Unseen.\n');
  expect(err).toContain('stdin is open but sent nothing');
});
