// Runs real background processes. Tests their life, their output and their input, and that none is left behind.

import { sessionId, timestamp } from '@tidemark/log';
import { mkdtempSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openBackground } from '../../tests/background-bench.ts';
import { sandboxState } from '../sandbox/bubblewrap.ts';

const works = sandboxState('/') === 'works';
if (!works) console.warn('skipped: background processes in a sandbox, because bubblewrap does not work here');

const background = { background: true } as const;

/** Waiting times that are long enough for the clean-up of a program on a loaded machine. */
const PATIENT = { termMs: 60_000, drainMs: 200 };

/** Returns the ids of the running processes whose command line contains these words. */
function running(words: string): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandOf(name).includes(words));
}

function commandOf(pid: string): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    if (/\) [ZX]/.test(stat)) return '';
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let round = 0; round < 1_000 && !isTrue(); round += 1) await pause(10);
}

/** Returns a number of seconds that no other process of this machine sleeps. */
let seconds = 3_000_000 + process.pid;
const sleepTime = (): number => (seconds += 100_000);

describe.each([
  { place: 'without a sandbox', sandbox: 'never' as const, here: true },
  { place: 'in a sandbox', sandbox: 'auto' as const, here: works },
])('a background process $place', ({ sandbox, here }) => {
  it.skipIf(!here)('answers commands of the session, which share its ports', async () => {
    const { bash, process, started, ended } = openBackground({ sandbox });
    const port = 20_000 + (globalThis.process.pid % 10_000);
    const server = `"${globalThis.process.execPath}" -e 'require("net").createServer((s) => s.end("served\\n")).listen(${port}, "127.0.0.1", () => console.log("ready"))'`;
    let { text } = await bash(server, background);
    expect(text).toContain('p1 runs in the background]');
    while (!text.includes('ready')) ({ text } = await process({ process: 'p1', action: 'read', wait_s: 20 }));
    expect((await bash(`cat < /dev/tcp/127.0.0.1/${port}`)).text).toContain('served\n');
    expect((await process({ process: 'p1', action: 'stop' })).text).toBe('[no new output; p1 has ended: SIGTERM]');
    expect((await process({ process: 'p1', action: 'stop' })).text).toContain('p1 had already ended');
    expect((await bash(`cat < /dev/tcp/127.0.0.1/${port}`)).failed).toBe(true);
    expect(started).toEqual([{ process: 'p1', command: server, call: 'call-1' }]);
    expect(ended).toEqual([{ process: 'p1', signal: 'SIGTERM', by: 'model' }]);
  });

  it.skipIf(!here)('reads its input, and its output is returned since the last read', async () => {
    const { bash, process } = openBackground({ sandbox });
    await bash('while read -r line; do echo "got $line"; done; echo closed', background);
    expect((await process({ process: 'p1', action: 'write', input: 'one\ntwo\n' })).text).toBe(
      'got one\ngot two\n[p1 runs in the background]',
    );
    expect((await process({ process: 'p1', action: 'read' })).text).toBe('[no new output; p1 runs in the background]');
    expect((await process({ process: 'p1', action: 'write' })).text).toBe('closed\n[p1 has ended: exit 0]');
    expect(await process({ process: 'p1', action: 'write', input: 'three\n' })).toEqual({
      text: 'nothing can be sent to p1: it has ended. Read its last output, or start it again',
      failed: true,
    });
  });

  it.skipIf(!here)('is not ended by a command of the session that ends', async () => {
    const time = sleepTime();
    const { bash, process } = openBackground({ sandbox });
    await bash(`sleep ${time}`, background);
    expect((await bash('sleep 1000001 & echo left')).text).toContain('processes that still ran and were ended');
    expect(running(`sleep ${time}`)).not.toEqual([]);
    expect((await process({ process: 'p1', action: 'read' })).text).toContain('p1 runs');
  });

  it.skipIf(!here)('ends with everything that it started when it is stopped', async () => {
    const time = sleepTime();
    const { bash, process } = openBackground({ sandbox });
    const escapes = `setsid sleep ${time} & (setsid sh -c 'sleep ${time} & exec >&- 2>&- <&-; sleep ${time}' &) ; nohup sleep ${time} & trap '' TERM; sleep ${time}; sleep ${time}`;
    await bash(escapes, background);
    await until(() => running(`sleep ${time}`).length >= 4);
    await process({ process: 'p1', action: 'stop' });
    await until(() => running(`sleep ${time}`).length === 0);
    expect(running(`sleep ${time}`)).toEqual([]);
  });

  it.skipIf(!here)('receives one SIGTERM when it is stopped, so its clean-up is not cut short', async () => {
    const { bash, process } = openBackground({ sandbox, patience: PATIENT });
    const cleans = `trap 'echo cleaning; sleep 0.2; exit 0' TERM; echo ready; while :; do sleep 0.05; done`;
    let { text } = await bash(`bash -c "${cleans}"; true`, background);
    while (!text.includes('ready')) ({ text } = await process({ process: 'p1', action: 'read', wait_s: 20 }));
    ({ text } = await process({ process: 'p1', action: 'stop' }));
    expect(text.match(/cleaning/g)).toHaveLength(1);
  });

  it.skipIf(!here)('that handles SIGTERM is recorded with its own exit code when it is stopped', async () => {
    const { bash, process, ended } = openBackground({ sandbox, patience: PATIENT });
    let { text } = await bash(`trap 'exit 5' TERM; echo ready; while :; do sleep 0.02; done`, background);
    while (!text.includes('ready')) ({ text } = await process({ process: 'p1', action: 'read', wait_s: 20 }));
    expect((await process({ process: 'p1', action: 'stop' })).text).toContain('p1 has ended: exit 5]');
    expect(ended).toEqual([{ process: 'p1', exit: 5, by: 'model' }]);
  });

  it.skipIf(!here)('ends with the session', async () => {
    const time = sleepTime();
    const { bash, processes, ended } = openBackground({ sandbox });
    await bash(`(setsid sleep ${time} &); sleep ${time}`, background);
    await until(() => running(`sleep ${time}`).length >= 2);
    await processes.close();
    await until(() => running(`sleep ${time}`).length === 0);
    expect(running(`sleep ${time}`)).toEqual([]);
    expect(ended).toMatchObject([{ process: 'p1', by: 'session' }]);
    expect((await bash('true', background)).text).toContain('can have no background processes');
  });

  it.skipIf(!here)('whose shell ends is ended with the processes that the shell left', async () => {
    const time = sleepTime();
    const { bash, process, ended } = openBackground({ sandbox });
    await bash(`nohup sleep ${time} >/dev/null & echo begun`, background);
    expect((await process({ process: 'p1', action: 'read', wait_s: 20 })).text).toContain(`sleep ${time}`);
    // The guard has the words of the command too, and ends a moment after the processes.
    await until(() => running(`sleep ${time}`).length === 0);
    expect(running(`sleep ${time}`)).toEqual([]);
    expect(ended).toEqual([{ process: 'p1', exit: 0, by: 'itself' }]);
  });
});

it.skipIf(!works)('commands of a session share /tmp in the sandbox, and another session does not see it', async () => {
  const folder = realpathSync(mkdtempSync('/var/tmp/tidemark-shared-'));
  const { bash, processes, background: host } = openBackground({ sandbox: 'auto', folder });
  await bash('echo shared > /tmp/file; sleep 1000002', background);
  expect((await bash('cat /tmp/file; stat -c %a /tmp')).text).toBe('shared\n700\n');
  const other = openBackground({ sandbox: 'auto', folder, session: 'session-2' });
  expect((await other.bash('ls /tmp/file')).failed).toBe(true);
  const temps = (): readonly string[] =>
    readdirSync('/tmp').filter((name) => name.startsWith(`tidemark-tmp-${globalThis.process.pid}-`));
  expect(temps()).toHaveLength(2);
  await bash('mkdir /tmp/closed && touch /tmp/closed/file && chmod 000 /tmp/closed');
  await processes.close();
  await other.processes.close();
  expect(temps()).toEqual([]);
  expect(host.find('p1')).toBeUndefined();
});

it.skipIf(!works)(
  'commands of a workspace below /tmp have a /tmp each, because a link in it could move their mounts',
  async () => {
    const { bash } = openBackground({ sandbox: 'auto', folder: realpathSync(mkdtempSync('/tmp/tidemark-below-')) });
    await bash('echo kept > /tmp/file; sleep 1000008', background);
    expect((await bash('cat /tmp/file')).failed).toBe(true);
  },
);

describe('the output of a background process', () => {
  it('is kept in its first and its last part, and the dropped bytes are counted', async () => {
    const { bash, processes } = openBackground();
    await bash('head -c 100000000 /dev/zero | tr "\\0" x; echo; echo last', background);
    await until(() => processes.list()[0]?.running === false);
    const { text = '', dropped = 0, next } = (await processes.read('p1')) ?? {};
    const kept = text.replace(`\n[${dropped} bytes of the output were not kept]\n`, '');
    expect(kept).toMatch(/^x+\nlast\n$/);
    expect(kept.length + dropped).toBe(100_000_006);
    expect(kept.length).toBeLessThan(512 * 1024);
    expect(next).toBe(100_000_006);
  });

  it('may be binary', async () => {
    const { bash, processes } = openBackground();
    await bash(String.raw`printf 'a\000\377\376\ncaf\303\251\n'`, background);
    await until(() => processes.list()[0]?.running === false);
    expect((await processes.read('p1'))?.text).toBe('a\0\ufffd\ufffd\ncafé\n');
  });

  it('contains a prompt without a line end, and shows the line again when it is complete', async () => {
    const { bash, process } = openBackground();
    await bash(`printf 'name? '; read -r name; echo "hello $name"`, background);
    expect((await process({ process: 'p1', action: 'read', wait_s: 20 })).text).toBe(
      'name? \n[p1 runs in the background]',
    );
    expect((await process({ process: 'p1', action: 'write', input: 'Ada\n' })).text).toBe(
      'name? hello Ada\n[p1 has ended: exit 0]',
    );
  });

  it('is waited for although an incomplete line was shown before', async () => {
    const { bash, process, folder } = openBackground();
    await bash(`printf 'building '; until [ -e go ]; do sleep 0.02; done; printf 'done'; sleep 1000009`, background);
    await process({ process: 'p1', action: 'read', wait_s: 20 });
    const read = process({ process: 'p1', action: 'read', wait_s: 60 });
    writeFileSync(join(folder, 'go'), '');
    expect((await read).text).toBe('building done\n[p1 runs in the background]');
  });

  it('has its secrets masked, also if a read comes between their parts', async () => {
    const secret = 'correct-horse-battery-staple';
    const { bash, process, processes } = openBackground({ secret });
    await bash(
      `printf 'key: ${secret.slice(0, 10)}'; read -r _; printf '%s\\n' '${secret.slice(10)}'; read -r _`,
      background,
    );
    await process({ process: 'p1', action: 'read', wait_s: 20 });
    const { text } = await process({ process: 'p1', action: 'write', input: '\n' });
    expect(text).toBe('key: [secret:TOKEN]\n[p1 runs in the background]');
    expect((await processes.read('p1'))?.text).toBe('key: [secret:TOKEN]\n');
  });

  it('holds a private key back until the key is complete', async () => {
    const { bash, process } = openBackground();
    const lines = Array.from({ length: 12 }, (_, index) => 'MIIEpAIBAAKCAQEA'.repeat(4).slice(index, index + 60));
    const begin = '-----BEGIN RSA PRIVATE KEY-----';
    await bash(
      `echo before; echo '${begin}'; printf '%s\\n' ${lines.slice(0, 6).join(' ')}; read -r _; printf '%s\\n' ${lines.slice(6).join(' ')}; echo '${begin.replace('BEGIN', 'END')}'; echo after; read -r _`,
      background,
    );
    await process({ process: 'p1', action: 'read', wait_s: 20 });
    const first = (await process({ process: 'p1', action: 'read' })).text;
    expect(first).not.toContain('MIIEpAIB');
    const { text } = await process({ process: 'p1', action: 'write', input: '\n' });
    expect(text).not.toContain('MIIEpAIB');
    expect(text).toMatch(/\[secret:[^\]]+\]/);
    expect(text).toContain('after\n');
  });

  it('can be closed while the process runs', async () => {
    const { bash, processes } = openBackground();
    await bash('exec >&- 2>&-; sleep 1000003', background);
    expect(processes.list()).toMatchObject([{ running: true, bytes: 0 }]);
  });
});

describe('a start', () => {
  it('is refused above the maximum, and possible again after an end', async () => {
    const { bash, process } = openBackground({ most: 2 });
    for (let count = 0; count < 2; count += 1) await bash('sleep 1000004', background);
    expect(await bash('sleep 1000004', background)).toEqual({
      text: '2 background processes of this session run already (p1, p2), which is the maximum: stop one first',
      failed: true,
    });
    await process({ process: 'p2', action: 'stop' });
    expect((await bash('sleep 1000004', background)).text).toContain('p3 runs');
  });

  it('whose record fails leaves no process', async () => {
    const time = sleepTime();
    const { bash, processes } = openBackground({ refuses: true });
    expect((await bash(`sleep ${time}`, background)).text).toBe('the disk is full');
    await until(() => running(`sleep ${time}`).length === 0);
    expect(running(`sleep ${time}`)).toEqual([]);
    expect(processes.list()).toEqual([]);
  });

  it('uses no id that the session has used before', async () => {
    const { bash } = openBackground({ last: 7 });
    expect((await bash('sleep 1000005', background)).text).toContain('p8 runs');
  });

  it('that was interrupted starts nothing', async () => {
    const { bash, processes } = openBackground();
    const abort = new AbortController();
    abort.abort();
    expect((await bash('sleep 1000006', background, abort.signal)).failed).toBe(true);
    expect(processes.list()).toEqual([]);
  });
});

it('another session cannot read, write or stop a process', async () => {
  const first = openBackground();
  await first.bash('sleep 1000007', background);
  const other = first.background.open(sessionId('session-2'), {
    secrets: { maskPart: async (text) => ({ text, end: text.length }) },
    last: 0,
    now: () => timestamp('2026-11-20T12:00:00.000Z'),
    started: async () => undefined,
    ended: async () => undefined,
    changed: () => undefined,
    notice: () => undefined,
  });
  expect(other.list()).toEqual([]);
  expect(await other.read('p1')).toBeUndefined();
  expect(await other.stop('p1')).toBeUndefined();
  expect(first.processes.list()).toMatchObject([{ id: 'p1', running: true }]);
});
