import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createMemoryStore } from '@tidemark/store-memory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IMPORT_ERRORS, ImportError } from '../../src/import/format/import-error.ts';
import { importInto } from '../../src/import/import-into.ts';
import { fileOf, importRows, packed, pick, sourceOf } from './import-rows.ts';
import { assistant, header, text, user } from './pi-rows.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-import-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function refused(
  from: string | Uint8Array,
): Promise<{ code: string; line: number | undefined; message: string; sessions: number }> {
  const store = createMemoryStore();
  try {
    await importInto(store, typeof from === 'string' ? from : sourceOf(from));
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    const { sessions } = await store.sessions();
    return { code: error.code, line: error.data.line, message: error.message, sessions: sessions.length };
  }
  throw new Error('it was imported');
}

describe('a file is refused', () => {
  it('with an error code from a list that must not change', () => {
    expect(Object.keys(IMPORT_ERRORS)).toEqual([
      'import/missing',
      'import/unreadable',
      'import/empty',
      'import/binary',
      'import/no-sound-record',
      'import/unrecognised',
      'import/several-sessions',
      'import/diverged',
      'import/changed',
    ]);
  });

  it('if it is missing, a folder, or empty', async () => {
    const empty = join(folder, 'empty.jsonl');
    await writeFile(empty, '');
    expect(await refused(join(folder, 'nothing.jsonl'))).toMatchObject({ code: 'import/missing', sessions: 0 });
    expect(await refused(folder)).toMatchObject({ code: 'import/unreadable' });
    expect(await refused(empty)).toMatchObject({ code: 'import/empty' });
    expect(await refused(Buffer.from('\n \n\r\n'))).toMatchObject({ code: 'import/empty' });
  });

  it('if it is binary, even with the file name of a transcript', async () => {
    const packedFile = join(folder, 'session.jsonl');
    await writeFile(packedFile, gzipSync(fileOf([header(1), user('go')])));
    expect(await refused(packedFile)).toMatchObject({ code: 'import/binary' });
    expect(await refused(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))).toMatchObject({
      code: 'import/binary',
    });
  });

  it('if it is text of another type, and the error names the first line', async () => {
    expect(await refused(Buffer.from('# Notes\n\nhello\n'))).toMatchObject({ code: 'import/no-sound-record', line: 1 });
    expect(await refused(Buffer.from('{\n  "messages": []\n}\n'))).toMatchObject({
      code: 'import/unrecognised',
      line: 1,
    });
  });

  it('if it is JSON of another type, and the error describes its first record', async () => {
    const other = await refused(Buffer.from('\n{"role":"user","content":"hi"}\n'));
    expect(other).toMatchObject({ code: 'import/unrecognised', line: 2, sessions: 0 });
    expect(other.message).toContain('"role", "content"');
    expect(await refused(Buffer.from('[{"type":"user"}]'))).toMatchObject({ code: 'import/unrecognised', line: 1 });
    expect((await refused(Buffer.from('{"type":"session","version":4,"id":"x"}'))).message).toContain('format 4');
  });
});

describe('damage inside a transcript', () => {
  const sound = [header(1), user('one'), assistant([text('first')]), user('two'), assistant([text('second')])];
  const lines = sound.map((row) => JSON.stringify(row));
  const whole = ['user: one', 'assistant: first', 'user: two', 'assistant: second'];

  it('is reported with its line and reason, and all valid records are imported', async () => {
    const rows = [
      ...lines.slice(0, 3),
      '{"type":"message","mess',
      'garbage',
      ...lines.slice(3),
      '{"type":"message","message":{"role":"us',
    ];
    const { events, imported } = await importRows(rows);
    expect(imported.skipped).toEqual([
      { line: 4, reason: 'incomplete: the record has no end' },
      { line: 5, reason: 'not JSON' },
      { line: 8, reason: 'incomplete: the record has no end' },
    ]);
    expect(imported.lines).toBe(8);
    expect(packed(events)).toEqual(whole);
  });

  it('by null bytes does not lose the record after them', async () => {
    const { events, imported } = await importRows([
      ...lines.slice(0, 3),
      `${'\0'.repeat(512)}${lines[3] ?? ''}`,
      lines[4] ?? '',
    ]);
    expect(imported.skipped).toEqual([{ line: 4, reason: '512 null bytes' }]);
    expect(packed(events)).toEqual(whole);
  });

  it('by a missing newline is repaired: the records are separated, even a whole record after a torn one', async () => {
    const torn = (lines[2] ?? '').slice(0, 60);
    const { events, imported } = await importRows([
      ...lines.slice(0, 2),
      `${lines[2] ?? ''}${lines[3] ?? ''}`,
      `${torn}${lines[4] ?? ''}`,
    ]);
    expect(imported.skipped.map(({ line, reason }) => [line, reason])).toEqual([
      [3, '2 records without a newline between them'],
      [4, 'an incomplete record, joined to the next record'],
    ]);
    expect(packed(events)).toEqual(whole);
  });

  it('by a line that is not UTF-8 is skipped', async () => {
    const bytes = Buffer.concat([
      fileOf(lines.slice(0, 3)),
      Buffer.from([0x7b, 0xff, 0xfe, 0x0a]),
      fileOf(lines.slice(3)),
    ]);
    const imported = await importInto(createMemoryStore(), sourceOf(bytes));
    expect(imported.skipped).toEqual([{ line: 4, reason: 'not UTF-8 text' }]);
  });

  it('at the header makes a session with the workspace `/`', async () => {
    const { events, imported } = await importRows(['{"type":"session","id":"aa', ...lines.slice(1)]);
    expect(imported.skipped).toHaveLength(1);
    expect(pick(events, 'session.created')[0]?.data.workspace).toBe('/');
    expect(packed(events)).toEqual(whole);
  });

  it('is not reported for CRLF line ends or a byte order mark', async () => {
    const bytes = Buffer.concat([Buffer.from('\uFEFF'), Buffer.from(lines.join('\r\n'))]);
    const imported = await importInto(createMemoryStore(), sourceOf(bytes));
    expect(imported).toMatchObject({ skipped: [], lines: 5, calls: 2 });
  });
});

describe('a file that changes while it is read', () => {
  const first = fileOf([header(1), user('one')]);

  it('and grows is imported in its state at the first pass', async () => {
    const grown = Buffer.concat([first, fileOf([user('two')])]);
    const opened: number[] = [];
    const open = (): AsyncIterable<Uint8Array> => {
      opened.push(1);
      return sourceOf(opened.length > 2 ? grown : first).open();
    };
    const imported = await importInto(createMemoryStore(), { open, source: 'live.jsonl' });
    expect(imported).toMatchObject({ lines: 2 });
  });

  it('and shrinks causes the error `import/changed`', async () => {
    const opened: number[] = [];
    const open = (): AsyncIterable<Uint8Array> => {
      opened.push(1);
      return sourceOf(opened.length > 2 ? first.subarray(0, 20) : first).open();
    };
    await expect(importInto(createMemoryStore(), { open, source: 'live.jsonl' })).rejects.toMatchObject({
      code: 'import/changed',
    });
  });
});
