// Tests the import of sessions that the real OpenCode made (`../make-opencode.ts`).

import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Log, Recorded } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, onTestFinished, test } from 'vitest';
import { importInto } from '../../src/import/import-into.ts';
import { sessionPath, sessionsInDatabase } from '../../src/import/opencode/open-opencode.ts';
import { databaseRows } from '../../src/import/opencode/stored-sessions.ts';
import { collect, only, packed, pick } from './import-rows.ts';
import type { Exported } from './opencode-rows.ts';
import { DATABASE, STORAGE, exportPath, importedInput, inputOf, printExport, readExport } from './opencode-rows.ts';

const MAIN = readExport('main').info.id;

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-opencode-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Returns the sessions in the folder of the older version. The id of a later session comes first in their order. */
function storedFiles(): readonly string[] {
  return globSync(join(STORAGE, 'session/*/*.json')).toSorted().toReversed();
}

async function read(path: string, store: Log = createMemoryStore()): Promise<readonly Recorded[]> {
  return collect(store.read((await importInto(store, path)).session));
}

/** Imports a document as a file, and returns the result with the events of its session. */
async function importDocument(document: object | string, store: Log = createMemoryStore()) {
  const path = join(temporaryFolder(), 'session.json');
  writeFileSync(path, typeof document === 'string' ? document : printExport(document));
  const imported = await importInto(store, path);
  return { imported, events: await collect(store.read(imported.session)) };
}

describe('a session that the real client made', () => {
  test.each(['main', 'fork'] as const)(
    'has in `%s.json` each call with the input that the client counted',
    async (name) => {
      const store = createMemoryStore();
      const imported = await importInto(store, exportPath(name));
      expect([imported.format, imported.skipped]).toEqual(['opencode', []]);
      const events = await collect(store.read(imported.session));
      const { messages } = readExport(name);
      expect(importedInput({ events })).toBe(messages.reduce((sum, one) => sum + inputOf(one), 0));
      expect(imported.calls).toBe(messages.filter((one) => inputOf(one) > 0).length);
      expect((await importInto(store, exportPath(name))).added).toBe(0);
    },
  );

  test('is the same session in the database and in its exported file', async () => {
    const store = createMemoryStore();
    const exported = await importInto(store, exportPath('main'));
    expect(await importInto(store, sessionPath(DATABASE, MAIN))).toMatchObject({
      session: exported.session,
      digest: exported.digest,
      added: 0,
    });
  });

  test('is read from a database in which another connection writes', async () => {
    const path = join(temporaryFolder(), 'opencode.db');
    cpSync(DATABASE, path);
    const client = new DatabaseSync(path);
    client.exec('PRAGMA journal_mode = WAL');
    client.exec('BEGIN IMMEDIATE');
    client.exec("UPDATE part SET data = '{}'");
    const during = await importInto(createMemoryStore(), sessionPath(path, MAIN));
    client.exec('ROLLBACK');
    client.close();
    expect(during).toMatchObject({ calls: 8, skipped: [] });
  });

  test('has the effort, the image, the failed call, the interrupted answer and the compaction of the main session', async () => {
    const events = await read(exportPath('main'));
    expect(pick(events, 'reasoning.changed').map(({ data }) => data.setting)).toEqual(['high', 'default']);
    expect(pick(events, 'prompt.given').flatMap(({ data }) => data.parts.map(({ type }) => type))).toContain('image');
    expect(only(events, 'answer.failed')).toMatchObject({ class: 'refused', code: 'provider/invalid' });
    expect(only(events, 'answer.interrupted')).toMatchObject({ by: 'user', parts: [{ type: 'text' }] });
    expect(pick(events, 'turn.ended').map(({ data }) => data.outcome)).toEqual([
      'completed',
      'completed',
      'completed',
      'failed',
      'interrupted',
      'completed',
      'completed',
      'completed',
    ]);
    expect(only(events, 'history.compacted')).toMatchObject({
      checkpoint: 'SUMMARY: the shop opens at noon.',
      trigger: 'manual',
    });
    expect(pick(events, 'epoch.opened').at(-1)?.data.checkpoint).toBe(pick(events, 'history.compacted')[0]?.position);
    expect(packed(events).slice(-2)).toEqual(['assistant: reasoning', 'assistant: It is done.']);
  });

  test('has the results of parallel calls, and the times of the answer and of the tools', async () => {
    const events = await read(exportPath('main'));
    const [first] = pick(events, 'answer.received');
    const asked = first?.data.parts.flatMap((part) => (part.type === 'call' ? [part.call] : []));
    expect(asked).toHaveLength(2);
    const [returned] = pick(events, 'tool.returned');
    expect([returned?.data.call, only(events, 'tool.failed').call]).toEqual(asked);
    expect(returned?.data.durationMs).toBeGreaterThanOrEqual(0);
    const { info, parts } = readExport('main').messages[1] ?? {};
    expect(info).toMatchObject({ time: { created: Date.parse(first?.data.startedAt ?? '') } });
    expect(parts).toContainEqual(
      expect.objectContaining({
        state: expect.objectContaining({ time: { start: Date.parse(first?.at ?? ''), end: expect.anything() } }),
      }),
    );
  });

  test('has the model of each answer and reasoning that only this model accepts', async () => {
    const events = await read(exportPath('main'));
    const models = pick(events, 'answer.received').map(({ data }) => data.model);
    expect(new Set(models)).toEqual(new Set(['claude-sonnet-4-5', 'gpt-5.5']));
    const gpt = pick(events, 'answer.received').find(({ data }) => data.provider === 'openai');
    expect(gpt?.data.parts[0]).toMatchObject({
      type: 'reasoning',
      opaque: expect.stringMatching(/^\{"type":"reasoning","id":"rs_.*"encrypted_content":"gAAAA/),
    });
    expect(gpt?.data.usage).toEqual({ fresh: 7809, read: 0, writes: [], answer: 3, reasoning: 6 });
  });

  test('bills the calls that a fork copied in the session that was imported first', async () => {
    const store = createMemoryStore();
    const main = await importInto(store, exportPath('main'));
    const fork = await read(exportPath('fork'), store);
    const billed = pick(fork, 'answer.received').map(({ data }) => data.billed?.session);
    expect(billed).toEqual([...Array.from({ length: billed.length - 1 }, () => main.session), undefined]);
  });

  test.each([
    ['the database', () => sessionsInDatabase(DATABASE).map(({ id }) => sessionPath(DATABASE, id))],
    ['the folder of version 1.1.65', storedFiles],
  ])('of a subagent in %s has its title and the call that started it', async (_, paths) => {
    const store = createMemoryStore();
    const [main] = paths().filter((path) => !path.includes(basename(subagentIn(paths()))));
    const first = await importInto(store, main ?? '');
    const { subagent, session } = await importInto(store, subagentIn(paths()));
    expect(subagent?.startedBy).toMatchObject({ session: first.session, depth: 1 });
    const [created] = await collect(store.read(session, 0, 1));
    expect(created?.data).toMatchObject({ title: 'Count the words (@general subagent)' });
    const started = pick(await collect(store.read(first.session)), 'answer.received').flatMap(({ data }) => data.parts);
    expect(started).toContainEqual(
      expect.objectContaining({ type: 'call', call: subagent?.startedBy?.call, name: 'task' }),
    );
  });

  test('of version 1.1.65 has its calls, its effort and its compaction', async () => {
    const store = createMemoryStore();
    const [main = ''] = storedFiles().filter((path) => path !== subagentIn(storedFiles()));
    expect(await importInto(store, main)).toMatchObject({ format: 'opencode', calls: 6, skipped: [] });
    const events = await read(main);
    expect(pick(events, 'reasoning.changed').map(({ data }) => data.setting)).toEqual(['high', 'default']);
    expect(only(events, 'history.compacted').checkpoint).toContain('SUMMARY');
  });

  test('that was imported at any earlier length continues in the same session', async () => {
    const whole = readExport('main');
    for (let length = 1; length < whole.messages.length; length += 1) {
      const store = createMemoryStore();
      // The client adds the summary of changed files to a prompt after the turn.
      const messages = whole.messages.slice(0, length).map((one) => ({ ...one, info: withoutSummary(one.info) }));
      const { imported } = await importDocument({ ...whole, messages }, store);
      const grown = await importDocument(whole, store);
      expect([length, grown.imported.updated, grown.imported.session]).toEqual([length, true, imported.session]);
      expect(importedInput(grown)).toBe(whole.messages.reduce((sum, one) => sum + inputOf(one), 0));
    }
  });
});

function withoutSummary(info: object): object {
  if (!('summary' in info) || typeof info.summary !== 'object') return info;
  const { summary: _summary, ...rest } = info;
  return rest;
}

/** Returns the path of the subagent in the fixtures: it is the only session with a parent. */
function subagentIn(paths: readonly string[]): string {
  if (paths.some((path) => path.endsWith('.json')))
    return paths.find((path) => readFileSync(path, 'utf8').includes('"parentID"')) ?? '';
  const database = new DatabaseSync(DATABASE, { readOnly: true });
  const row = database.prepare('SELECT id FROM session WHERE parent_id IS NOT NULL').get();
  database.close();
  return sessionPath(DATABASE, typeof row?.['id'] === 'string' ? row['id'] : '');
}

describe('a damaged file of `opencode export`', () => {
  const lines = printExport(readExport('main')).trimEnd().split('\n');
  const ids = (document: Exported): readonly string[] =>
    document.messages.flatMap(({ info, parts }) => [info.id, ...parts.map(({ id }) => id)]);

  test('that ends early keeps each complete row and reports the last one', async () => {
    for (let length = 40; length < lines.length - 10; length += 37) {
      const { imported } = await importDocument(lines.slice(0, length).join('\n'));
      const complete = ids(readExport('main')).filter((id) => isComplete(lines.slice(0, length), id)).length;
      expect([length, imported.lines - imported.skipped.length]).toEqual([length, complete + 1]);
      expect(imported.skipped.length).toBeLessThanOrEqual(1);
    }
  });

  test('that ends inside a row reports the row', async () => {
    const at = lines.findIndex((line) => line.includes('"text": "I read it."'));
    const { imported } = await importDocument(lines.slice(0, at + 1).join('\n'));
    expect(imported.skipped).toEqual([{ line: imported.lines, reason: 'incomplete: the record has no end' }]);
  });

  test('with a damaged line loses only the row of that line', async () => {
    const rows = ids(readExport('main')).length + 1;
    for (let at = 40; at < lines.length - 3; at += 41) {
      const damaged = lines.map((line, index) => (index === at ? line.replace(/"/, '') : line));
      if (damaged[at] === lines[at]) continue;
      const { imported } = await importDocument(damaged.join('\n'));
      const kept = imported.lines - imported.skipped.length;
      expect([at, kept >= rows - 2, imported.skipped.length]).toEqual([at, true, 1]);
    }
  });

  test('with a line that is not UTF-8 text reports the row', async () => {
    const path = join(temporaryFolder(), 'session.json');
    const bytes = Buffer.from(printExport(readExport('main')));
    bytes[bytes.indexOf('I read it.')] = 0xff;
    writeFileSync(path, bytes);
    const { skipped, calls } = await importInto(createMemoryStore(), path);
    expect(skipped).toEqual([{ line: expect.anything(), reason: 'incomplete: the record has no end' }]);
    expect(calls).toBe(8);
  });

  test('without line breaks has the same session', async () => {
    const printed = await importInto(createMemoryStore(), exportPath('main'));
    const { imported } = await importDocument(JSON.stringify(readExport('main')));
    expect([imported.session, imported.digest]).toEqual([printed.session, printed.digest]);
  });
});

/** True if the object that contains the line with this id is closed. The id is the second or the last but third member. */
function isComplete(lines: readonly string[], id: string): boolean {
  const at = lines.findIndex((line) => line.includes(`"id": "${id}"`));
  if (at === -1) return false;
  const indent = (lines[at] ?? '').search(/\S/) - 2;
  return lines.slice(at).some((line) => line.startsWith(`${' '.repeat(indent)}}`));
}

describe('a database', () => {
  test('with several sessions is refused with the paths of the latest sessions', async () => {
    await expect(importInto(createMemoryStore(), DATABASE)).rejects.toMatchObject({
      code: 'import/several-sessions',
      message: expect.stringContaining(`${sessionPath(DATABASE, MAIN)}  The shop`),
    });
    await expect(importInto(createMemoryStore(), sessionPath(DATABASE, 'ses_none'))).rejects.toMatchObject({
      code: 'import/missing',
    });
  });

  test('of another program, or that is damaged, is refused', async () => {
    const folder = temporaryFolder();
    const [other, damaged] = [join(folder, 'other.db'), join(folder, 'damaged.db')];
    const database = new DatabaseSync(other);
    database.exec('CREATE TABLE a (b)');
    database.close();
    writeFileSync(damaged, readFileSync(DATABASE).fill(0, 100, 4096));
    await expect(importInto(createMemoryStore(), other)).rejects.toMatchObject({ code: 'import/unrecognised' });
    await expect(importInto(createMemoryStore(), damaged)).rejects.toMatchObject({ code: 'import/unreadable' });
  });

  test('is read as it was at the start, if the client writes in the meantime', async () => {
    const path = join(temporaryFolder(), 'opencode.db');
    cpSync(DATABASE, path);
    const client = new DatabaseSync(path);
    client.exec('PRAGMA journal_mode = WAL');
    client.exec(
      `UPDATE part SET data = json_set(data, '$.text', '${'x'.repeat(300_000)}') WHERE data LIKE '%Read note.txt.%'`,
    );
    const chunks = databaseRows(path, MAIN);
    const texts = [text(chunks.next().value)];
    client.exec('DELETE FROM part');
    for (const chunk of chunks) texts.push(text(chunk));
    client.close();
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.join('')).toContain('What did we do?');
  });

  test('with one session needs no id, and reports a row that is not JSON', async () => {
    const path = join(temporaryFolder(), 'opencode.db');
    cpSync(DATABASE, path);
    const database = new DatabaseSync(path);
    database.exec(`DELETE FROM part WHERE session_id <> '${MAIN}'; DELETE FROM message WHERE session_id <> '${MAIN}'`);
    database.exec(
      `UPDATE part SET data = substr(data, 1, 20) WHERE data LIKE '%I read it.%' AND session_id = '${MAIN}'`,
    );
    database.close();
    const imported = await importInto(createMemoryStore(), path);
    expect(imported.calls).toBe(8);
    expect(imported.skipped).toHaveLength(1);
  });
});

function text(chunk: Uint8Array | void): string {
  return Buffer.from(chunk ?? []).toString('utf8');
}

test('a folder of version 1.1.65 without some of its files has the other rows', async () => {
  const folder = temporaryFolder();
  cpSync(STORAGE, folder, { recursive: true });
  const [main = ''] = storedFiles().filter((path) => path !== subagentIn(storedFiles()));
  const path = main.replace(STORAGE, folder);
  const texts = globSync(join(folder, 'part/*/*.json')).filter((file) =>
    readFileSync(file, 'utf8').includes('I read it.'),
  );
  for (const file of texts) writeFileSync(file, '{"id":');
  const { calls, skipped } = await importInto(createMemoryStore(), path);
  expect([calls, skipped.length]).toEqual([6, 1]);
  rmSync(join(folder, 'part'), { recursive: true });
  expect(await importInto(createMemoryStore(), path)).toMatchObject({ calls: 6, skipped: [] });
  rmSync(join(folder, 'message'), { recursive: true });
  expect(await importInto(createMemoryStore(), path)).toMatchObject({ calls: 0, skipped: [] });
});
