// Runs real shells and real processes. Tests their output and how they end. Also tests that no process continues to
// run.

import type { ToolOutput } from '@tidemark/agent';
import { callId, digest, sessionId } from '@tidemark/log';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { NO_HISTORY } from '../../tests/history-of.ts';
import { createConfinement } from '../confine/confine.ts';
import type { BashOptions } from './bash-tool.ts';
import { createBashTool } from './bash-tool.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-bash-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PATIENCE = { termMs: 200, drainMs: 200 };

interface Asked {
  readonly timeout_s?: number;
  readonly signal?: AbortSignal;
  readonly options?: BashOptions;
  readonly write?: (chunk: string | Uint8Array) => Promise<void>;
}

interface Ran extends ToolOutput {
  readonly output: string;
}

async function bash(command: string, { timeout_s, signal, options, write }: Asked = {}): Promise<Ran> {
  const tool = createBashTool(createConfinement({ folder }), { sandbox: 'never', patience: PATIENCE, ...options });
  const run = await tool.read({ command, ...(timeout_s !== undefined && { timeout_s }) });
  if ('problem' in run) throw new Error(run.problem);
  const chunks: Uint8Array[] = [];
  const returned = await run.run({
    session: sessionId('session-1'),
    call: callId('call-1'),
    notice: () => undefined,
    signal: signal ?? new AbortController().signal,
    write: write ?? (async (chunk) => void chunks.push(Buffer.from(chunk))),
    progress: () => undefined,
    mask: async (text) => text,
    fileSeen: () => undefined,
    skills: { preloaded: [], loaded: [] },
    room: () => ({ bytes: 51_200, lines: 2_000 }),
    output: () => undefined,
    history: NO_HISTORY,
  });
  return { ...returned, output: Buffer.concat(chunks).toString() };
}

/** Returns true if the process with this id runs. A zombie does not count as running. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; round < 500 && !holds(); round += 1) await pause(10);
}

function pidsIn(output: string): readonly number[] {
  return [...output.matchAll(/pid=(\d+)/g)].map(([, pid]) => Number(pid));
}

describe('output and exit of `bash`', () => {
  it('keeps the order in which stdout and stderr were written', async () => {
    const ran = await bash('for i in 1 2 3 4 5; do echo out$i; echo err$i >&2; done');
    expect(ran).toEqual({
      exit: 0,
      output: [1, 2, 3, 4, 5].map((i) => `out${i}\nerr${i}\n`).join(''),
    });
  });

  it('the exit code comes after the output', async () => {
    expect(await bash('printf half; exit 3')).toEqual({ exit: 3, failed: true, output: 'half', text: '\n[exit 3]' });
  });

  it('a command without output returns `[no output]`', async () => {
    expect(await bash('true')).toEqual({ exit: 0, output: '', text: '[no output]\n[exit 0]' });
  });

  it('the result names the signal that ended the shell', async () => {
    const ran = await bash('echo a; kill -KILL $$');
    expect(ran).toEqual({ exit: 137, failed: true, output: 'a\n', text: '[ended by SIGKILL, exit 137]' });
  });

  it("the result shows the shell's error for a syntax error and for an unknown program", async () => {
    expect((await bash('if then')).output).toContain('syntax error');
    expect(await bash('no-such-program-here')).toMatchObject({ exit: 127, failed: true });
  });

  it('a command starts in the workspace and reads an empty input', async () => {
    expect((await bash('pwd; cat; read line; echo "[$line]"')).output).toBe(`${folder}\n[]\n`);
  });

  it('a character whose bytes arrive in two writes stays intact', async () => {
    const ran = await bash("printf '\\xf0\\x9f'; sleep 0.05; printf '\\x8c\\x8a\\n'");
    expect(ran.output).toBe('🌊\n');
  });

  it("100 MB of output are streamed at the writer's pace, in chunks of at most 1 MiB", async () => {
    let bytes = 0;
    let most = 0;
    const hash = createHash('sha256');
    await bash('head -c 104857600 /dev/zero', {
      write: async (chunk) => {
        bytes += chunk.length;
        hash.update(chunk);
        if (bytes % (16 << 20) < chunk.length) await pause(1);
        most = Math.max(most, chunk.length);
      },
    });
    expect(bytes).toBe(104_857_600);
    expect(most).toBeLessThanOrEqual(1 << 20);
    expect(digest(hash.digest('hex'))).toBe('20492a4d0d84f8beb1767f6616229f85d44c2827b64bdbfb260ee12fa1109e0e');
  });

  it('a command is blocked while the writer does not accept its output', async () => {
    const gate = Promise.withResolvers<void>();
    let taken = 0;
    const file = join(folder, 'progress');
    const ran = bash(`for i in $(seq 200); do head -c 16384 /dev/zero; echo $i > ${file}; done`, {
      write: async (chunk) => {
        taken += chunk.length;
        await gate.promise;
      },
    });
    await until(() => taken > 0);
    await pause(100);
    // 200 rounds of the command write 3.2 MB. This is much more than a pipe and two buffers can store. The command was
    // therefore blocked before round 100.
    expect(Number(readFileSync(file, 'utf8'))).toBeLessThan(100);
    gate.resolve();
    await ran;
    expect(taken).toBe(200 * 16_384);
  });

  it('an error of the writer ends the command and is thrown to the caller', async () => {
    const thrown = bash('yes', { write: () => Promise.reject(new Error('the disk is full')) });
    await expect(thrown).rejects.toThrow('the disk is full');
  });
});

describe('end of a command and of all processes it started', () => {
  it('a background job that holds the output open is ended and named in the result', async () => {
    const ran = await bash('sleep 1000 & echo pid=$!');
    expect(ran.text).toMatch(/^\[processes that still ran and were ended: \d+ sleep 1000\]$/);
    expect(ran.failed).toBeUndefined();
    expect(pidsIn(ran.output).filter(lives)).toEqual([]);
  });

  it('`bash` waits for a background job that ends shortly after the shell', async () => {
    const ran = await bash('(sleep 0.05; echo late) & echo early');
    expect(ran).toEqual({ exit: 0, output: 'early\nlate\n' });
  });

  it('a background job in a session of its own is found and ended', async () => {
    const ran = await bash('setsid sh -c "echo pid=\\$\\$; exec sleep 1000" & sleep 0.1');
    expect(ran.text).toContain('sleep 1000');
    expect(pidsIn(ran.output)).toHaveLength(1);
    expect(pidsIn(ran.output).filter(lives)).toEqual([]);
  });

  it('a command that exceeds its timeout is ended with its children', async () => {
    const ran = await bash('sh -c "echo pid=\\$\\$; sleep 1000; true" | cat; echo never', { timeout_s: 0.3 });
    expect(ran).toMatchObject({ exit: 143, failed: true });
    expect(ran.text).toContain('timed out after 0.3 s');
    expect(ran.output).not.toContain('never');
    expect(pidsIn(ran.output)).toHaveLength(1);
    expect(pidsIn(ran.output).filter(lives)).toEqual([]);
  });

  it('a command that ignores SIGTERM is killed', async () => {
    const ran = await bash('trap "" TERM; echo pid=$$; while :; do sleep 0.05; done', { timeout_s: 0.2 });
    expect(ran).toMatchObject({ exit: 137, failed: true });
    expect(pidsIn(ran.output).filter(lives)).toEqual([]);
  });

  it('a command can clean up on SIGTERM', async () => {
    const ran = await bash('trap "echo cleaned; exit 9" TERM; echo ready; while :; do sleep 0.02; done', {
      timeout_s: 0.2,
    });
    expect(ran).toMatchObject({
      exit: 9,
      output: expect.stringMatching(/^ready\n(Terminated\n)?cleaned\n$/),
      failed: true,
    });
  });

  it('an interrupt ends the command and returns the output so far', async () => {
    const stop = new AbortController();
    let seen = '';
    const ran = bash('echo pid=$$; sleep 1000', {
      signal: stop.signal,
      write: async (chunk) => {
        seen += Buffer.from(chunk).toString();
        stop.abort();
      },
    });
    expect(await ran).toMatchObject({ exit: 143, failed: true, text: expect.stringContaining('interrupted') });
    expect(pidsIn(seen)).toHaveLength(1);
    expect(pidsIn(seen).filter(lives)).toEqual([]);
  });

  it('a call that was aborted before it started returns at once', async () => {
    expect(await bash('sleep 1000', { signal: AbortSignal.abort() })).toMatchObject({ failed: true });
  });
});

describe('environment and file descriptors of a command', () => {
  it('a command has the variables of the default list and the variables that the caller names, but no API key', async () => {
    const environment = {
      PATH: process.env['PATH'],
      HOME: folder,
      LC_TIME: 'C',
      ANTHROPIC_API_KEY: 'sk-ant-1',
      OTHER: 'no',
      GOFLAGS: '-mod=mod',
    };
    const { output } = await bash('env', { options: { environment, variables: ['GOFLAGS'] } });
    const names = output.split('\n').map((line) => line.slice(0, line.indexOf('=')));
    expect(names).toEqual(expect.arrayContaining(['PATH', 'HOME', 'LC_TIME', 'GOFLAGS', 'TERM', 'GIT_PAGER']));
    expect(names).not.toContain('ANTHROPIC_API_KEY');
    expect(names).not.toContain('OTHER');
    expect(output).not.toContain('sk-ant-1');
  });

  describe('a failure because of a missing variable', () => {
    const environment = {
      PATH: process.env['PATH'],
      HOME: folder,
      JAVA_HOME: '/opt/java',
      SHOP_TOKEN: 'secret-of-shop',
    };
    const hint = '[the user has the variable JAVA_HOME, and commands do not get it: ';

    it.each([
      'echo "ERROR: JAVA_HOME is not set and no java was found"; exit 1',
      'set -u; echo $JAVA_HOME',
      'echo "The JAVA_HOME environment variable is not defined correctly" >&2; false',
    ])('tells the model which variable the user has: %s', async (command) => {
      expect((await bash(command, { options: { environment } })).text).toContain(hint);
    });

    it.each([
      ['that succeeded', 'echo JAVA_HOME is not set', {}],
      ['that gets the variable', 'echo JAVA_HOME is not set; false', { variables: ['JAVA_HOME'] }],
      ['about a variable that the user does not have', 'echo GOPATH is not set; false', {}],
      ['about a secret', 'echo SHOP_TOKEN is not set; false', {}],
      ['without such an error', 'echo JAVA_HOME; false', {}],
    ])('has no hint for a command %s', async (_, command, options) => {
      expect((await bash(command, { options: { environment, ...options } })).text ?? '').not.toContain('the user has');
    });
  });

  it('a command can open its output by name and inherits no other file descriptor', async () => {
    const { output } = await bash(
      'echo a > /dev/stderr; echo b | tee /dev/stdout; readlink /proc/$$/fd/3 || echo none',
    );
    expect(output).toBe('a\nb\nb\nnone\n');
  });
});
