import { createHash } from 'node:crypto';
import { appendFile, chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { createReadTool } from '../read/read-tool.ts';
import { applyEdits } from './apply-edit.ts';
import { createEditTool } from './edit-tool.ts';

const edited = (file: string, oldText: string, newText: string, replaceAll = false): string =>
  applyEdits(file, [{ oldText, newText, replaceAll }], 'a.txt').text;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('the `edit` tool', () => {
  test('changes the single match, shows the diff and reports the file as written', async () => {
    const { folder, put, call, content, confinement } = await openBench();
    const before = 'const rate = 0.2;\nexport { rate };\n';
    await chmod(await put('src/tax.js', before), 0o640);
    const { text, files } = await call(createEditTool(confinement), {
      path: 'src/tax.js',
      old_text: '0.2',
      new_text: '0.19',
    });
    expect(text).toBe(
      'edited src/tax.js at line 1\n@@ -1,2 +1,2 @@\n-const rate = 0.2;\n+const rate = 0.19;\n export { rate };',
    );
    const after = 'const rate = 0.19;\nexport { rate };\n';
    expect(await content('src/tax.js')).toBe(after);
    expect(files).toEqual([
      {
        path: join(folder, 'src/tax.js'),
        digest: sha256(after),
        as: 'written',
        before: sha256(before),
        shows: 'change',
      },
    ]);
    expect((await stat(join(folder, 'src/tax.js'))).mode & 0o777).toBe(0o640);
    expect(await readdir(join(folder, 'src'))).toEqual(['tax.js']);
  });

  test('refuses a file that changed since it was read, but accepts a file that changed by its own edit', async () => {
    const { put, call, content, confinement } = await openBench();
    const path = await put('a.txt', 'one\n');
    const tool = createEditTool(confinement);
    await call(createReadTool(confinement), { path: 'a.txt' });
    expect(await call(tool, { path: 'a.txt', old_text: 'one', new_text: 'two' })).toMatchObject({ code: undefined });
    expect(await call(tool, { path: 'a.txt', old_text: 'two', new_text: 'three' })).toMatchObject({ code: undefined });
    await appendFile(path, 'else');
    expect(await call(tool, { path: 'a.txt', old_text: 'three', new_text: 'x' })).toMatchObject({
      code: 'workspace/changed',
    });
    expect(await content('a.txt')).toBe('three\nelse');
  });

  test('refuses a file that is not UTF-8 text, because its bytes would be lost', async () => {
    const { put, call, confinement } = await openBench();
    await put('latin1.txt', Buffer.from([0x61, 0xe9, 0x0a]));
    await put('a.out', Buffer.from([0x61, 0x00]));
    const tool = createEditTool(confinement);
    for (const path of ['latin1.txt', 'a.out'])
      expect(await call(tool, { path, old_text: 'a', new_text: 'b' })).toMatchObject({ code: 'workspace/not-text' });
  });

  test('explains what is wrong with its arguments', async () => {
    const { put, call, confinement } = await openBench();
    await put('tax.ts', 'x');
    const tool = createEditTool(confinement);
    const said = async (input: object): Promise<string> => (await call(tool, input)).text;
    expect(await said({ path: 'tax.ts', old_text: '', new_text: 'x' })).toContain('use `write`');
    expect(await said({ path: 'tax.ts', old_text: 'x', new_text: 'x' })).toContain('nothing would change');
    expect(await said({ path: 'tax.js', old_text: 'x', new_text: 'y' })).toBe(
      'tax.js does not exist. Similar names: tax.ts.',
    );
    expect(await said({ path: '.', old_text: 'x', new_text: 'y' })).toContain('with `ls`');
    expect(await said({ path: 'tax.ts', old_string: 'x' })).toContain(
      'The arguments are path, old_text, new_text, replace_all, edits.',
    );
  });

  test('refuses a file above its size limit', async () => {
    const { put, call, confinement } = await openBench();
    await put('big.txt', Buffer.alloc(16 * 1024 * 1024 + 1, 'x'));
    expect(await call(createEditTool(confinement), { path: 'big.txt', old_text: 'y', new_text: 'z' })).toMatchObject({
      code: 'workspace/too-large',
    });
  });
});

describe('the old text of an edit', () => {
  test('is matched literally: pattern characters in the old and the new text have no special meaning', () => {
    expect(edited('a.c (x)', '.', '$&$1')).toBe('a$&$1c (x)');
    expect(edited('\\n and \n', '\\n', 'N')).toBe('N and \n');
    expect(() => edited('abc', 'a.c', 'x')).toThrow('does not occur in');
  });

  test('is refused with the line numbers if it occurs several times and `replace_all` is not set', () => {
    expect(() => edited('x\ny\nx\n', 'x', 'z')).toThrow('occurs 2 times in a.txt, at lines 1, 3;');
    expect(() => edited('aaa', 'aa', 'b')).toThrow('occurs 2 times');
    expect(edited('x\ny\nx\n', 'x', 'z', true)).toBe('z\ny\nz\n');
    expect(edited('aaa', 'aa', 'b', true)).toBe('ba');
  });

  test('is refused with the nearest lines if it is missing, with a hint if only white space differs', () => {
    const file = 'function tax(amount) {\n\treturn amount * 0.2;\n}\n';
    expect(() => edited(file, '  return amount * 0.2;', 'x')).toThrow(
      'old_text does not occur in a.txt; nothing was written. It differs only in white space from the text at line 2:\n\treturn amount * 0.2;\n',
    );
    expect(() => edited(file, 'function taxes(amount) {\n  return 1;', 'x')).toThrow(
      'The most similar text is at line 1:\nfunction tax(amount) {\n\treturn amount * 0.2;\n',
    );
    expect(() => edited(file, 'zzz', 'x')).toThrow('No similar text was found');
    expect(() => edited(file, '\n\n\n', 'x')).toThrow('does not occur in');
  });

  test('is refused with the first differing lines if a long text differs late', () => {
    const lines = Array.from({ length: 20 }, (_, at) => `const line${at} = ${at};`);
    const wanted = lines.with(15, 'const key = 1;').join('\n');
    expect(() => edited(lines.join('\n'), wanted, 'x')).toThrow(
      'The most similar text is at line 14:\nconst line13 = 13;\nconst line14 = 14;\nconst line15 = 15;\n',
    );
  });

  test('matches CRLF in the file with plain line feeds, and the new text receives CRLF too', () => {
    expect(edited('\uFEFFa\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz')).toBe('\uFEFFx\r\ny\r\nz\r\nc\r\n');
    expect(edited('a\r\nb\r\n', 'a', 'x\ny')).toBe('x\r\ny\r\nb\r\n');
    expect(edited('a\nb\r\nc\n', 'b\nc', 'B\nC')).toBe('a\nB\r\nC\n');
    expect(edited('a\nb', 'a\r\nb', 'x\r\ny')).toBe('x\ny');
  });
});

test('an edit of a CRLF file has the same result as an edit of the file with line feeds', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'b', '\n', ' ', '👩‍🚀'), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(words, words, words, words, fc.boolean(), (head, old, tail, fresh, all) => {
      const file = `\n${head}${old}${tail}\n`;
      const outcome = (text: string): string => {
        try {
          return edited(text, old, fresh, all);
        } catch (error) {
          return error instanceof Error ? error.message : 'no error';
        }
      };
      expect(outcome(file.replaceAll('\n', '\r\n')).replaceAll('\r\n', '\n')).toBe(outcome(file));
    }),
    { numRuns: 300 },
  );
});

describe('several edits of one call', () => {
  const FILE = 'const a = 1;\nconst b = 2;\nconst c = 3;\n';

  test('are made together, with one diff and one entry for the file', async () => {
    const { folder, put, call, content, confinement } = await openBench();
    await put('a.ts', FILE);
    const { text, files } = await call(createEditTool(confinement), {
      path: 'a.ts',
      edits: [
        { old_text: 'c = 3', new_text: 'c = 30' },
        { old_text: 'const', new_text: 'let', replace_all: true },
        { old_text: 'a = 1', new_text: 'a = 10' },
      ],
    });
    const after = 'let a = 10;\nlet b = 2;\nlet c = 30;\n';
    expect(await content('a.ts')).toBe(after);
    expect(text).toBe(
      'edited a.ts in 5 places\n@@ -1,3 +1,3 @@\n-const a = 1;\n-const b = 2;\n-const c = 3;\n+let a = 10;\n+let b = 2;\n+let c = 30;',
    );
    expect(files).toEqual([
      { path: join(folder, 'a.ts'), digest: sha256(after), as: 'written', before: sha256(FILE), shows: 'change' },
    ]);
  });

  test('change nothing if one of them does not match, and the error names its number', async () => {
    const { put, call, content, confinement } = await openBench();
    await put('a.ts', FILE);
    const tool = createEditTool(confinement);
    const first = { old_text: 'a = 1', new_text: 'a = 10' };
    expect(
      await call(tool, { path: 'a.ts', edits: [first, { old_text: 'const d = 4', new_text: 'x' }] }),
    ).toMatchObject({
      code: 'workspace/no-match',
      text: expect.stringContaining('edit 2 of 2: old_text does not occur in a.ts; nothing was written.'),
    });
    expect(await call(tool, { path: 'a.ts', edits: [first, { old_text: 'const', new_text: 'x' }] })).toMatchObject({
      code: 'workspace/many-matches',
      text: expect.stringContaining('edit 2 of 2: old_text occurs 3 times in a.ts, at lines 1, 2, 3;'),
    });
    expect(await content('a.ts')).toBe(FILE);
  });

  test('are applied to the original file, and the error explains it if an edit needs the result of another', async () => {
    const { put, call, content, confinement } = await openBench();
    await put('a.ts', FILE);
    const tool = createEditTool(confinement);
    const chain = [
      { old_text: 'a = 1', new_text: 'a = 10' },
      { old_text: 'a = 10', new_text: 'a = 100' },
    ];
    expect(await call(tool, { path: 'a.ts', edits: chain })).toMatchObject({
      code: 'workspace/no-match',
      text: expect.stringContaining('edit 1 would insert this text: make one edit of both'),
    });
    const swap = [
      { old_text: 'a = 1', new_text: 'b = 2' },
      { old_text: 'b = 2', new_text: 'a = 1' },
    ];
    expect(await call(tool, { path: 'a.ts', edits: swap })).toMatchObject({ code: undefined });
    expect(await content('a.ts')).toBe('const b = 2;\nconst a = 1;\nconst c = 3;\n');
  });

  test('are refused if two of them change the same text', async () => {
    const { put, call, content, confinement } = await openBench();
    await put('a.ts', FILE);
    const edits = [
      { old_text: 'b = 2;\nconst c', new_text: 'x' },
      { old_text: 'const', new_text: 'let', replace_all: true },
    ];
    expect(await call(createEditTool(confinement), { path: 'a.ts', edits })).toMatchObject({
      code: 'workspace/overlap',
      text: expect.stringContaining('edits 1 and 2 change the same text of a.ts at line 3; nothing was written.'),
    });
    expect(await content('a.ts')).toBe(FILE);
  });

  test('may touch each other, and identical edits are refused', () => {
    const both = (one: string, other: string): string =>
      applyEdits(
        'abcd',
        [
          { oldText: one, newText: '1', replaceAll: false },
          { oldText: other, newText: '2', replaceAll: false },
        ],
        'a.txt',
      ).text;
    expect(both('cd', 'ab')).toBe('21');
    expect(() => both('ab', 'ab')).toThrow('edits 1 and 2 change the same text');
    expect(() => both('abc', 'b')).toThrow('edits 1 and 2 change the same text');
  });

  test('are refused together with the arguments of a single edit, if there are none, and if there are too many', async () => {
    const { put, call, confinement } = await openBench();
    await put('a.ts', FILE);
    const tool = createEditTool(confinement);
    const said = async (input: object): Promise<string> => (await call(tool, { path: 'a.ts', ...input })).text;
    const edit = { old_text: 'a', new_text: 'b' };
    expect(await said({ edits: [edit], old_text: 'a' })).toContain('Pass either `edits`');
    expect(await said({ edits: [] })).toContain('`edits` is empty');
    expect(await said({ edits: Array.from({ length: 201 }, () => edit) })).toContain('the maximum is 200');
    expect(await said({ edits: [edit, { old_text: '', new_text: 'x' }] })).toContain('`old_text` of edit 2 is empty');
    expect(await said({ edits: [edit, { old_text: 'x', new_text: 'x' }] })).toContain('`new_text` of edit 2 is equal');
    expect(await said({ old_text: 'a' })).toContain('`new_text` is missing');
    expect(await said({ edits: [{ old_text: 'a' }] })).toContain('new_text');
  });

  test('equal single edits one after the other, if they change different lines', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 6 }), fc.boolean(), (lines, crlf) => {
        const end = crlf ? '\r\n' : '\n';
        const file = lines.map(([was], at) => `${at}:${was};${end}`).join('');
        const edits = lines.flatMap(([was, is], at) =>
          was === is ? [] : [{ oldText: `${at}:${was};`, newText: `${at}:${is};`, replaceAll: false }],
        );
        const single = edits.reduce((text, edit) => applyEdits(text, [edit], 'a.txt').text, file);
        expect(applyEdits(file, edits.toReversed(), 'a.txt').text).toBe(single);
      }),
    );
  });
});
