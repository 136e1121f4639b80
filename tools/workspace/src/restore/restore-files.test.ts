import type { ToolContext } from '@tidemark/agent';
import type { Digest, Event, FileTouch, Log, LogWriter, SessionId } from '@tidemark/log';
import { callId, digest, sessionId, timestamp } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Bench } from '../../tests/bench.ts';
import { openBench } from '../../tests/bench.ts';
import { createConfinement } from '../confine/confine.ts';
import { createEditTool } from '../edit/edit-tool.ts';
import { createReadTool } from '../read/read-tool.ts';
import { createWriteTool } from '../write/write-tool.ts';
import type { RestoreOptions, RestorePlan } from './restore-files.ts';
import { planRestore, restoreDiff, restoreFile } from './restore-files.ts';

const AT = timestamp('2026-11-23T09:00:00.000Z');
const digestOf = (text: string): Digest => digest(createHash('sha256').update(text).digest('hex'));

/** A session whose tools work in a bench, with its log. */
interface Work extends Bench {
  readonly log: Log;
  readonly options: RestoreOptions;
  write(path: string, content: string): Promise<void>;
  edit(path: string, old: string, next: string): Promise<void>;
  /** Records a call without running it. */
  record(name: string, effect: 'execute' | 'write', files?: readonly FileTouch[]): Promise<void>;
  append(events: readonly Event[]): Promise<void>;
  plan(): Promise<RestorePlan>;
  /** Restores the file with this name, after a new plan. */
  restore(name: string): Promise<void>;
  states(): Promise<Readonly<Record<string, string>>>;
  /** Returns the work of a subagent in the same folder. */
  subagent(id: string): Promise<Work>;
}

async function openWork(): Promise<Work> {
  return workIn(await openBench(), createMemoryStore(), sessionId('s'), 1);
}

async function workIn(bench: Bench, log: Log, session: SessionId, from: number): Promise<Work> {
  const writer: LogWriter = await log.create(session);
  const append = async (events: readonly Event[]): Promise<void> => {
    expect((await writer.append(events, writer.length)).ok).toBe(true);
  };
  await append([{ kind: 'session.created', at: AT, data: { id: session, root: session, workspace: bench.folder } }]);
  const undo: NonNullable<ToolContext['undo']> = {
    largest: log.undo?.largest ?? 0,
    keep: async (bytes) => void (await log.undo?.keep(session, bytes)),
  };
  const record = async (name: string, effect: 'execute' | 'write', files?: readonly FileTouch[]): Promise<void> => {
    const call = callId(`c${writer.length}`);
    await append([
      answered(call, name),
      { kind: 'tool.started', at: AT, data: { call, name, effect } },
      { kind: 'tool.returned', at: AT, data: { call, parts: [], ...(files !== undefined && { files }) } },
    ]);
  };
  const act = async (name: 'write' | 'edit', input: Readonly<Record<string, string>>): Promise<void> => {
    const tool = name === 'write' ? createWriteTool(bench.confinement) : createEditTool(bench.confinement);
    const { code, files } = await bench.call(tool, input, { undo });
    expect(code).toBeUndefined();
    await record(name, 'write', files);
  };
  const options = { log, session, from, confinement: bench.confinement, signal: new AbortController().signal };
  const plan = (): Promise<RestorePlan> => planRestore(options);
  return {
    ...bench,
    log,
    options,
    append,
    record,
    plan,
    write: (path, content) => act('write', { path, content }),
    edit: (path, old, next) => act('edit', { path, old_text: old, new_text: next }),
    async restore(name) {
      const file = (await plan()).files.find(({ shown }) => shown === name);
      if (file === undefined) throw new Error(`${name} is not in the plan`);
      await restoreFile(file, options);
    },
    states: async () => Object.fromEntries((await plan()).files.map(({ shown, state }) => [shown, state])),
    async subagent(id) {
      const child = sessionId(id);
      await append([{ kind: 'subagent.started', at: AT, data: { child, role: 'r', task: 't' } }]);
      return workIn(bench, log, child, 0);
    },
  };
}

function answered(call: ReturnType<typeof callId>, name: string): Event {
  const data = {
    step: 0,
    stream: 'main',
    provider: 'scripted',
    model: 'm',
    parts: [{ type: 'call' as const, call, name, arguments: `{"command":"make ${name}"}` }],
    stop: 'calls' as const,
    truncated: 'no' as const,
    usage: {},
  };
  return { kind: 'answer.received', at: AT, data };
}

describe('a changed file', () => {
  test('is restored to the bytes before the first change, with its mode', async () => {
    const { put, write, edit, states, restore, content, folder, call, confinement } = await openWork();
    const path = await put('src/run.sh', 'one\r\ntwo\r\n');
    await chmod(path, 0o750);
    await edit('src/run.sh', 'two', 'three');
    await call(createReadTool(confinement), { path: 'src/run.sh' });
    await write('src/run.sh', 'all new\n');
    expect(await states()).toEqual({ 'src/run.sh': 'restorable' });
    await restore('src/run.sh');
    expect(await content('src/run.sh')).toBe('one\r\ntwo\r\n');
    expect((await stat(path)).mode & 0o777).toBe(0o750);
    expect(await states()).toEqual({});
    expect(await readdir(join(folder, 'src'))).toEqual(['run.sh']);
  });

  test('that a tool created is deleted', async () => {
    const { write, edit, states, restore, folder } = await openWork();
    await write('new/a.txt', 'one\n');
    await edit('new/a.txt', 'one', 'two');
    expect(await states()).toEqual({ 'new/a.txt': 'restorable' });
    await restore('new/a.txt');
    expect(await readdir(join(folder, 'new'))).toEqual([]);
    expect(await states()).toEqual({});
  });

  test('that a tool removed is created again, with its folders', async () => {
    const { put, log, record, restore, content, folder, options } = await openWork();
    const path = await put('gone/a.txt', 'one\n');
    const before = await log.undo?.keep(options.session, Buffer.from('one\n'));
    await rm(join(folder, 'gone'), { recursive: true });
    await record('drop', 'write', [{ path, as: 'removed', ...(before !== undefined && { before }) }]);
    await restore('gone/a.txt');
    expect(await content('gone/a.txt')).toBe('one\n');
  });

  test('that ended as it began is not listed', async () => {
    const { put, edit, plan } = await openWork();
    await put('a.txt', 'one\n');
    await edit('a.txt', 'one', 'two');
    await edit('a.txt', 'two', 'one');
    expect(await plan()).toEqual({ files: [], calls: [] });
  });

  test('has a diff from now to then', async () => {
    const { put, edit, write, plan, options } = await openWork();
    await put('a.txt', 'one\ntwo\n');
    await put('b.bin', Buffer.from([0, 1, 2]));
    await edit('a.txt', 'two', 'three');
    await write('new.txt', 'x\n');
    const diffs = await Promise.all((await plan()).files.map((file) => restoreDiff(file, options)));
    expect(diffs).toEqual([
      '--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-three\n+two',
      '--- new.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x',
    ]);
  });

  test('before the position is not listed', async () => {
    const { put, edit, log, options } = await openWork();
    await put('a.txt', 'one\n');
    await edit('a.txt', 'one', 'two');
    const from = (await Array.fromAsync(log.read(options.session))).length;
    await put('b.txt', 'b\n');
    await edit('b.txt', 'b', 'c');
    const { files } = await planRestore({ ...options, from });
    expect(files.map(({ shown }) => shown)).toEqual(['b.txt']);
  });
});

describe('a change that something else made', () => {
  test('after the last change of a tool is not overwritten', async () => {
    const { put, edit, plan, restore, content, folder } = await openWork();
    await put('a.txt', 'one\n');
    await edit('a.txt', 'one', 'two');
    await writeFile(join(folder, 'a.txt'), 'mine\n');
    expect((await plan()).files).toMatchObject([
      { state: 'changed', reason: 'it was changed since the last change by a file tool' },
    ]);
    await expect(restore('a.txt')).rejects.toMatchObject({ code: 'workspace/changed' });
    expect(await content('a.txt')).toBe('mine\n');
  });

  test('between the plan and the restoration is not overwritten', async () => {
    const { put, edit, write, plan, options, content, folder } = await openWork();
    await put('a.txt', 'one\n');
    await edit('a.txt', 'one', 'two');
    await write('new.txt', 'x\n');
    const { files } = await plan();
    for (const name of ['a.txt', 'new.txt']) await writeFile(join(folder, name), 'mine\n');
    for (const file of files) {
      await expect(restoreFile(file, options)).rejects.toMatchObject({ code: 'workspace/changed' });
      expect(await content(file.shown)).toBe('mine\n');
    }
  });

  test('during the restoration is not overwritten, and the message is for a person', async () => {
    const { put, edit, plan, options, content, folder } = await openWork();
    await put('a.txt', 'one\n');
    await edit('a.txt', 'one', 'two');
    const [file] = (await plan()).files;
    if (file === undefined) throw new Error('no file');
    const get = async (): Promise<Uint8Array> => {
      await writeFile(join(folder, 'a.txt'), 'mine\n');
      return Buffer.from('one\n');
    };
    const undo = { largest: 100, keep: async () => undefined, get };
    await expect(restoreFile(file, { ...options, log: { read: options.log.read, undo } })).rejects.toMatchObject({
      code: 'workspace/changed',
      message:
        'a.txt was not restored: another process changed it at the same moment. Compare it with the version that you want, and change it yourself.',
    });
    expect(await content('a.txt')).toBe('mine\n');
  });

  test('between two changes of tools is not overwritten', async () => {
    const { put, edit, states, restore, content, folder, call, confinement } = await openWork();
    await put('a.txt', 'one\n');
    await edit('a.txt', 'one', 'two');
    await writeFile(join(folder, 'a.txt'), 'two\nmine\n');
    await call(createReadTool(confinement), { path: 'a.txt' });
    await edit('a.txt', 'two', 'three');
    expect(await states()).toEqual({ 'a.txt': 'changed' });
    await expect(restore('a.txt')).rejects.toMatchObject({ code: 'workspace/changed' });
    expect(await content('a.txt')).toContain('mine');
  });

  test('is undone if it deleted the file, because this overwrites nothing', async () => {
    const { put, edit, plan, restore, folder } = await openWork();
    await put('a.txt', 'one\n');
    await edit('a.txt', 'one', 'two');
    await rm(join(folder, 'a.txt'));
    expect((await plan()).files).toMatchObject([{ shown: 'a.txt', state: 'restorable', reason: '' }]);
    await restore('a.txt');
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
  });

  test('is followed by no restoration through a link', async () => {
    const { put, edit, plan, options, folder, outside } = await openWork();
    await put('src/a.txt', 'one\n');
    await edit('src/a.txt', 'one', 'two');
    const [file] = (await plan()).files;
    if (file === undefined) throw new Error('no file');
    await rename(join(folder, 'src'), join(outside, 'src'));
    await symlink(join(outside, 'src'), join(folder, 'src'));
    expect((await plan()).files).toMatchObject([{ state: 'refused' }]);
    await expect(restoreFile(file, options)).rejects.toMatchObject({ code: 'workspace/moved' });
    expect(await readFile(join(outside, 'src/a.txt'), 'utf8')).toBe('two\n');
    await rm(join(folder, 'src'));
    await mkdir(join(folder, 'src'));
    await symlink(join(outside, 'src/a.txt'), join(folder, 'src/a.txt'));
    await expect(restoreFile(file, options)).rejects.toMatchObject({ code: 'workspace/moved' });
    expect(await readFile(join(outside, 'src/a.txt'), 'utf8')).toBe('two\n');
  });
});

describe('a file that cannot be restored', () => {
  test('has no kept bytes', async () => {
    const { put, edit, plan, options } = await openWork();
    await put('a.txt', 'one\n');
    await edit('a.txt', 'one', 'two');
    const [file] = (await plan()).files;
    if (file === undefined) throw new Error('no file');
    const none = { largest: 100, keep: async () => undefined, get: async () => undefined };
    for (const log of [{ read: options.log.read }, { read: options.log.read, undo: none }]) {
      const given = { ...options, log };
      expect((await planRestore(given)).files).toMatchObject([{ state: 'not-kept' }]);
      await expect(restoreFile(file, given)).rejects.toMatchObject({ code: 'workspace/not-restorable' });
    }
  });

  test('was too large to be kept, and a notice says so', async () => {
    const { put, call, confinement } = await openWork();
    await put('large.txt', 'one and two\n');
    const notices: string[] = [];
    const edit = { path: 'large.txt', old_text: 'one', new_text: 'two' };
    const keep = async (): Promise<void> => expect.unreachable();
    await call(createEditTool(confinement), edit, {
      undo: { largest: 4, keep },
      notice: ({ code, message }) => void notices.push(`${code}: ${message}`),
    });
    expect(notices).toEqual([
      'undo/not-kept: large.txt has more than 4 bytes, so its content before the change is not kept',
    ]);
  });

  test('was changed by a version that did not record the earlier state, and it is never deleted', async () => {
    const { put, record, states, restore, content } = await openWork();
    const path = await put('a.txt', 'one\n');
    await record('write', 'write', [{ path, as: 'written', digest: digestOf('one\n') }]);
    expect(await states()).toEqual({ 'a.txt': 'not-kept' });
    await expect(restore('a.txt')).rejects.toMatchObject({ code: 'workspace/not-restorable' });
    expect(await content('a.txt')).toBe('one\n');
  });

  test('is at a path that the tools refuse now', async () => {
    const { write, options, folder } = await openWork();
    await write('logs/a.txt', 'one\n');
    const confinement = createConfinement({ folder, forbidden: [join(folder, 'logs')] });
    const { files } = await planRestore({ ...options, confinement });
    expect(files).toMatchObject([{ state: 'refused' }]);
    const restored = files.map((file) => restoreFile(file, { ...options, confinement }));
    await expect(Promise.all(restored)).rejects.toMatchObject({ code: 'workspace/not-restorable' });
  });
});

describe('calls whose changes are not known', () => {
  test('are commands, calls of other tools that write, and calls that a crash cut off', async () => {
    const { record, write, append, plan } = await openWork();
    await record('bash', 'execute');
    await record('mcp_save', 'write');
    await write('a.txt', 'x');
    await record('edit', 'write');
    const call = callId('cut');
    await append([
      answered(call, 'write'),
      { kind: 'tool.started', at: AT, data: { call, name: 'write', effect: 'write' } },
      { kind: 'tool.abandoned', at: AT, data: { call, reason: 'crashed' } },
    ]);
    expect((await plan()).calls.map(({ tool, arguments: text }) => [tool, text])).toEqual([
      ['bash', '{"command":"make bash"}'],
      ['mcp_save', '{"command":"make mcp_save"}'],
      ['write', '{"command":"make write"}'],
    ]);
  });

  test('include a write that a crash cut off after the file was replaced, and its earlier bytes are not needed', async () => {
    const { put, edit, append, states, plan, folder } = await openWork();
    await put('a.txt', 'one\n');
    await edit('a.txt', 'one', 'two');
    const call = callId('cut');
    await append([
      answered(call, 'edit'),
      { kind: 'tool.started', at: AT, data: { call, name: 'edit', effect: 'write' } },
    ]);
    await writeFile(join(folder, 'a.txt'), 'three\n');
    expect(await states()).toEqual({ 'a.txt': 'changed' });
    expect((await plan()).calls).toHaveLength(1);
  });
});

describe('the changes of a subagent', () => {
  test('are restored too, from the bytes that the subagent kept', async () => {
    const parent = await openWork();
    await parent.put('a.txt', 'one\n');
    await parent.put('b.txt', 'b\n');
    await parent.edit('a.txt', 'one', 'two');
    const child = await parent.subagent('child');
    await child.edit('a.txt', 'two', 'three');
    await child.edit('b.txt', 'b', 'c');
    await child.record('bash', 'execute');
    await parent.edit('a.txt', 'three', 'four');
    expect(await parent.states()).toEqual({ 'a.txt': 'restorable', 'b.txt': 'restorable' });
    for (const name of ['a.txt', 'b.txt']) await parent.restore(name);
    expect([await parent.content('a.txt'), await parent.content('b.txt')]).toEqual(['one\n', 'b\n']);
    expect((await parent.plan()).calls).toMatchObject([{ session: 'child', tool: 'bash' }]);
  });

  test('are a call with unknown changes if the log of the subagent is missing', async () => {
    const { append, plan } = await openWork();
    await append([{ kind: 'subagent.started', at: AT, data: { child: sessionId('lost'), role: 'r', task: 't' } }]);
    expect((await plan()).calls).toMatchObject([{ session: 'lost', tool: 'agent' }]);
  });
});
