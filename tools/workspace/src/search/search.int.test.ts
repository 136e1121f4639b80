// Tests `grep` and `find` on real folders with the real ripgrep.

import type { Tool, ToolOutput, ToolProblem } from '@tidemark/agent';
import { createSecrets } from '@tidemark/agent';
import { callId, sessionId } from '@tidemark/log';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { NO_HISTORY } from '../../tests/history-of.ts';
import { createConfinement } from '../confine/confine.ts';
import { createFindTool } from './find-tool.ts';
import { createGrepTool } from './grep-tool.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-search-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;

function workspace(files: Readonly<Record<string, string | Buffer>>): string {
  folders += 1;
  const folder = join(root, `workspace-${folders}`);
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

async function call(
  tool: Tool,
  input: unknown,
  signal = new AbortController().signal,
): Promise<ToolOutput | ToolProblem> {
  const run = await tool.read(input);
  if ('problem' in run) return run;
  return run.run({
    session: sessionId('session-1'),
    call: callId('call-1'),
    notice: () => undefined,
    signal,
    write: async () => undefined,
    progress: () => undefined,
    mask: (text) => createSecrets({ values: [] }).mask(text),
    fileSeen: () => undefined,
    skills: { preloaded: [], loaded: [] },
    room: () => ({ bytes: 51_200, lines: 2_000 }),
    output: () => undefined,
    history: NO_HISTORY,
  });
}

async function textOf(answer: Promise<ToolOutput | ToolProblem>): Promise<string> {
  const got = await answer;
  return 'problem' in got ? `PROBLEM ${got.problem}` : (got.text ?? '');
}

const grep = (folder: string, input: unknown): Promise<string> =>
  textOf(call(createGrepTool(createConfinement({ folder, forbidden: [join(folder, 'log')] })), input));
const find = (folder: string, input: unknown): Promise<string> =>
  textOf(call(createFindTool(createConfinement({ folder })), input));

describe('the `grep` tool', () => {
  it('groups lines by file and sorts them by path', async () => {
    const folder = workspace({ 'b.txt': 'one\nfoo two\n', 'a/z.txt': 'foo\n', 'a.txt': 'no\n' });
    const found = '[2 lines in 2 files]\n\na/z.txt\n1:foo\n\nb.txt\n2:foo two';
    expect(await grep(folder, { pattern: 'foo' })).toBe(found);
    expect(await grep(folder, { pattern: 'foo' })).toBe(found);
  });

  it('shows context lines around a match, and a separator between lines that are not adjacent', async () => {
    const folder = workspace({ 'a.txt': '1\nfoo\n3\n4\n5\n6\nfoo\n8\n' });
    expect(await grep(folder, { pattern: 'foo', context: 1 })).toBe(
      '[2 lines in 1 file]\n\na.txt\n1-1\n2:foo\n3-3\n--\n6-6\n7:foo\n8-8',
    );
  });

  it('counts the matches that it does not show, and shows no context lines for them', async () => {
    const folder = workspace({ 'a.txt': 'foo\nx\n\n\n\ny\nfoo\n', 'b.txt': 'y\nfoo\n' });
    expect(await grep(folder, { pattern: 'foo', context: 1, limit: 1 })).toBe(
      '[3 lines in 2 files, the first 1 are shown: use a narrower pattern, path or glob, or a higher limit]\n\na.txt\n1:foo\n2-x',
    );
  });

  it('stays below the inline size of a result for any limit', async () => {
    const folder = workspace({ 'a.txt': `${'foo '.repeat(100)}\n`.repeat(1_000) });
    const text = await grep(folder, { pattern: 'foo', limit: 1_000 });
    expect(text).toMatch(/^\[1000 lines in 1 file, the first 11\d are shown/);
    expect(Buffer.byteLength(text)).toBeLessThan(48 * 1024);
  });

  it('matches a regular expression, plain text, and text regardless of letter case', async () => {
    const folder = workspace({ 'a.txt': 'a.c\nabc\nABC\n-x\n' });
    expect(await grep(folder, { pattern: 'a.c' })).toContain('[2 lines');
    expect(await grep(folder, { pattern: 'a.c', literal: true })).toContain('[1 line ');
    expect(await grep(folder, { pattern: 'a.c', ignore_case: true })).toContain('[3 lines');
    expect(await grep(folder, { pattern: '(?<=a)bc' })).toContain('[1 line ');
    expect(await grep(folder, { pattern: '-x' })).toContain('4:-x');
  });

  it('reports that no line matches', async () => {
    expect(await grep(workspace({ 'a.txt': 'a\n' }), { pattern: 'foo', path: 'a.txt' })).toBe(
      '[no line matches in a.txt]',
    );
  });

  it('reports the error in a pattern and the next step', async () => {
    const folder = workspace({ 'a.txt': 'f(\n' });
    await expect(grep(folder, { pattern: 'f(' })).rejects.toThrow(/unclosed group[^]*`literal`/);
    await expect(grep(folder, { pattern: 'f(' })).rejects.toMatchObject({ code: 'workspace/bad-search' });
    expect(await grep(folder, { pattern: 'f(', literal: true })).toContain('1:f(');
  });

  it('skips files that .gitignore names, even without a repository', async () => {
    const folder = workspace({ '.gitignore': '*.log', 'x.log': 'foo', 'a.txt': 'foo' });
    expect(await grep(folder, { pattern: 'foo' })).toBe('[1 line in 1 file]\n\na.txt\n1:foo');
  });

  it('skips `.git` and the files that .gitignore names, but searches other names that begin with a dot', async () => {
    const folder = workspace({
      '.gitignore': 'node_modules\n*.log\n',
      'node_modules/a/index.js': 'foo',
      'x.log': 'foo',
      '.git/config': 'foo',
      '.github/ci.yml': 'foo',
    });
    expect(await grep(folder, { pattern: 'foo' })).toBe('[1 line in 1 file]\n\n.github/ci.yml\n1:foo');
    expect(await grep(folder, { pattern: 'foo', glob: '**' })).toContain('[1 line in 1 file]');
    expect(await grep(folder, { pattern: 'foo', glob: '*.log' })).toContain('no line matches');
    expect(await grep(folder, { pattern: 'foo', path: 'node_modules' })).toContain('node_modules/a/index.js');
  });

  it('searches only the files that a glob names, relative to the workspace or to the path', async () => {
    const folder = workspace({ 'src/a.ts': 'foo', 'src/sub/b.ts': 'foo', 'src/c.md': 'foo' });
    expect(await grep(folder, { pattern: 'foo', glob: '*.ts' })).toContain('[2 lines in 2 files]');
    expect(await grep(folder, { pattern: 'foo', glob: 'src/*.ts' })).toContain('[1 line in 1 file]\n\nsrc/a.ts');
    expect(await grep(folder, { pattern: 'foo', path: 'src', glob: 'sub/**' })).toContain(
      '[1 line in 1 file]\n\nsrc/sub/b.ts',
    );
    expect(await grep(folder, { pattern: 'foo', glob: '!*.ts' })).toContain('[1 line in 1 file]\n\nsrc/c.md');
  });

  it('shows no content of files that may contain keys, or of the log', async () => {
    const folder = workspace({ '.env': 'KEY=abc', 'deep/.npmrc': '_auth=abc', 'log/session': 'abc', 'a.txt': 'abcd' });
    expect(await grep(folder, { pattern: 'abc' })).toBe('[1 line in 1 file]\n\na.txt\n1:abcd');
    expect(await grep(folder, { pattern: 'abc', path: '.env' })).toMatch(/^PROBLEM .env is refused/);
  });

  it('follows no symlink out of the workspace', async () => {
    const outside = workspace({ 'secret.txt': 'foo' });
    const folder = workspace({ 'a.txt': 'foo' });
    symlinkSync(outside, join(folder, 'link'));
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'file'));
    expect(await grep(folder, { pattern: 'foo' })).toBe('[1 line in 1 file]\n\na.txt\n1:foo');
    expect(await grep(folder, { pattern: 'foo', path: 'link' })).toMatch(/^PROBLEM .*outside the workspace/);
    expect(await grep(folder, { pattern: 'foo', path: '../' })).toMatch(/^PROBLEM .*outside the workspace/);
  });

  it('shows a long line around its match, counted in characters', async () => {
    const folder = workspace({ 'a.js': `${'é'.repeat(5_000)}foo${'x'.repeat(5_000)}` });
    expect(await grep(folder, { pattern: 'foo' })).toContain(`\n1:…${'é'.repeat(100)}foox`);
  });

  it('shows no part of a token at the cut of a long line', async () => {
    const token = ['gh', 'p_', 'Zx9Kq2Lm7Wd4'.repeat(3)].join('');
    const parts = Array.from({ length: token.length - 11 }, (_, at) => token.slice(at + 4, at + 12));
    for (let gap = 40; gap < 340; gap += 12) {
      const folder = workspace({
        'a.json': `{"t":"${token}","a":"${'-'.repeat(gap)}foo${'-'.repeat(gap)}","u":"${token}", "z":"${'-'.repeat(400)}"}\n`,
      });
      const text = await grep(folder, { pattern: 'foo' });
      expect(text).toContain('foo');
      expect(parts.filter((part) => text.includes(part))).toEqual([]);
    }
  });

  it('reports a line that is too long to be shown', async () => {
    const folder = workspace({ 'a.js': 'foo'.padEnd(2_000_000, 'x') });
    expect(await grep(folder, { pattern: 'foo' })).toContain('[1 line longer than 1 MiB is not shown]');
  });

  it('skips binary files, and shows names with line ends and bytes that are not UTF-8', async () => {
    const folder = workspace({
      'a.bin': Buffer.from('\0\0foo'),
      'latin.txt': Buffer.from('caf\xe9 foo\r\n', 'latin1'),
      'two\nlines.txt': 'foo',
      '名前.txt': 'foo',
    });
    const text = await grep(folder, { pattern: 'foo' });
    expect(text).toContain('[3 lines in 3 files]');
    expect(text).toContain('latin.txt\n1:caf\ufffd foo\n');
    expect(text).toContain('two\\u{a}lines.txt\n1:foo');
    expect(text).toContain('名前.txt\n1:foo');
    expect(text).not.toContain('\r');
  });

  it.skipIf(process.getuid?.() === 0)(
    'reports a file that could not be read (skipped as root, which may read every file)',
    async () => {
      const folder = workspace({ 'a.txt': 'foo', 'b.txt': 'foo' });
      chmodSync(join(folder, 'b.txt'), 0);
      expect(await grep(folder, { pattern: 'foo' })).toMatch(
        /^\[1 line in 1 file\]\n\[some files could not be read: .*b\.txt/,
      );
    },
  );

  it('throws the reason of the signal if it is aborted', async () => {
    const tool = createGrepTool(createConfinement({ folder: workspace({ 'a.txt': 'foo' }) }));
    await expect(call(tool, { pattern: 'foo' }, AbortSignal.abort(new Error('given up')))).rejects.toThrow('given up');
  });

  it.each([
    ['no pattern', {}, /pattern/],
    ['an empty pattern', { pattern: '' }, /pattern/],
    ['a NUL', { pattern: 'a\0' }, /NUL/],
    ['a path that does not exist', { pattern: 'a', path: 'nope' }, /nope does not exist/],
    ['a bad glob', { pattern: 'a', glob: '{a' }, /glob/],
    ['an unknown argument', { pattern: 'a', output_mode: 'x' }, /output_mode/],
  ])('refuses a call with %s', async (_, input, problem) => {
    expect(await grep(workspace({}), input)).toMatch(problem);
  });
});

describe('`grep` with `output`', () => {
  const FILES = { 'b.txt': 'foo\nbar\nfoo foo\n', 'a.txt': 'x\nfoo\n', 'c.txt': 'bar\n', '.env': 'foo=1\n' };

  it('shows only the names of the files with matches, sorted, and the same bytes each time', async () => {
    const folder = workspace(FILES);
    const found = '[2 files]\na.txt\nb.txt';
    expect(await grep(folder, { pattern: 'foo', output: 'files' })).toBe(found);
    expect(await grep(folder, { pattern: 'foo', output: 'files', context: 2 })).toBe(found);
    expect(await grep(folder, { pattern: 'foo', output: 'files', path: 'b.txt' })).toBe('[1 file]\nb.txt');
    expect(await grep(folder, { pattern: 'nothing', output: 'files' })).toContain('no line matches');
  });

  it('shows the number of matching lines of each file, and the sum', async () => {
    const folder = workspace(FILES);
    expect(await grep(folder, { pattern: 'foo', output: 'counts' })).toBe('[3 lines in 2 files]\na.txt: 1\nb.txt: 2');
  });

  it('shows at most `limit` files, and counts the others', async () => {
    const folder = workspace(
      Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at + 10}.txt`, 'foo\nfoo\n'])),
    );
    const files = await grep(folder, { pattern: 'foo', output: 'files', limit: 2 });
    expect(files).toBe(
      '[30 files, the first 2 files are shown: use a narrower pattern, path or glob, or a higher limit]\nf10.txt\nf11.txt',
    );
    const counts = await grep(folder, { pattern: 'foo', output: 'counts', limit: 1 });
    expect(counts).toContain('[60 lines in 30 files, the first 1 files are shown');
    expect(counts.endsWith('\nf10.txt: 2')).toBe(true);
  });

  it('keeps the size of a page, and shows names on one line', async () => {
    const long = 'n'.repeat(200);
    const names = Array.from({ length: 400 }, (_, at) => [`${long}${at + 1_000}.txt`, 'foo\n']);
    const text = await grep(workspace(Object.fromEntries([...names, ['a\nb.txt', 'foo\n']])), {
      pattern: 'foo',
      output: 'files',
      limit: 1_000,
    });
    expect(Buffer.byteLength(text)).toBeLessThan(48 * 1_024);
    expect(text).toMatch(/^\[401 files, the first \d+ files are shown/);
    expect(text).not.toContain('a\nb.txt');
  });

  it('reports a matching line above 1 MiB, whose file may be missing', async () => {
    const folder = workspace({ 'a.txt': `foo${'x'.repeat(1_100_000)}\n`, 'b.txt': 'foo\n' });
    expect(await grep(folder, { pattern: 'foo', output: 'counts' })).toBe(
      '[1 line in 1 file]\n[1 matching line longer than 1 MiB not counted: files may be missing]\nb.txt: 1',
    );
  });
});

describe('the `find` tool', () => {
  const files = {
    'b.ts': '',
    'a/b.ts': '',
    'a.md': '',
    '.github/x.yml': '',
    '.git/HEAD': '',
    '.gitignore': 'out',
    'out/x.ts': '',
  };

  it('lists files sorted by path, without ignored files', async () => {
    expect(await find(workspace(files), {})).toBe('[5 files]\n.github/x.yml\n.gitignore\na/b.ts\na.md\nb.ts');
  });

  it('accepts a glob and a folder', async () => {
    const folder = workspace(files);
    expect(await find(folder, { glob: '*.ts' })).toBe('[2 files]\na/b.ts\nb.ts');
    expect(await find(folder, { path: 'a' })).toBe('[1 file]\na/b.ts');
    expect(await find(folder, { path: 'out' })).toBe('[1 file]\nout/x.ts');
    expect(await find(folder, { glob: 'nothing' })).toBe('[no file matches in .]');
  });

  it('counts the files that it does not list', async () => {
    expect(await find(workspace(files), { limit: 2 })).toBe(
      '[5 files, the first 2 are shown: use a narrower glob or path, or a higher limit]\n.github/x.yml\n.gitignore',
    );
  });

  it('shows a name with a line end on one line, and follows no symlink', async () => {
    const folder = workspace({ 'a\nb': '' });
    symlinkSync(root, join(folder, 'link'));
    expect(await find(folder, {})).toBe('[1 file]\na\\u{a}b');
  });

  it('refuses a path outside the workspace', async () => {
    expect(await find(workspace({}), { path: '..' })).toMatch(/^PROBLEM .*outside/);
    expect(await find(workspace({}), { path: '.git' })).toMatch(/^PROBLEM /);
  });
});

it('`grep` and `find` have definitions with unchanged bytes, because users have these bytes in their prompt caches', () => {
  const confinement = createConfinement({ folder: root });
  const pins = [createGrepTool(confinement), createFindTool(confinement)].map(({ name, description, schema }) => [
    name,
    createHash('sha256').update(JSON.stringify({ name, description, schema })).digest('hex'),
  ]);
  expect(pins).toEqual([
    ['grep', '2c04853571292cbb2749bece957e9502a35c687fcdae5db94b815ab6fe4c9ac0'],
    ['find', 'd97001caca0b17e60ca6788026646e3d9bdc5cea044c3cce292d63802d89db15'],
  ]);
});
