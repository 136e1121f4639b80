import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newFolder, told, view } from '../../tests/source-view.ts';
import { instructionsSource } from './instructions.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Creates a workspace with these files. Returns the folder and digests. A session would know these digests after it has
 * read the files.
 */
async function read(files: Readonly<Record<string, string>>): Promise<{ folder: string; files: Map<string, string> }> {
  const folder = await newFolder();
  const known = new Map<string, string>();
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, text);
    known.set(path, sha256(text));
  }
  return { folder, files: known };
}

describe('the instructions source', () => {
  test('does not mention instruction files that no tool has read', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'AGENTS.md'), 'Use tabs.');
    expect(await instructionsSource().revision(view(folder))).toBeUndefined();
  });

  test('lists instruction files that were read with their digests, and never with their content', async () => {
    const { folder, files } = await read({
      'b/AGENTS.md': 'Use spaces.',
      'AGENTS.md': 'Use tabs.',
      'README.md': 'Hello.',
    });
    const [, words] = await told(instructionsSource(), view(folder, { files }));
    expect(words.split('\n')).toEqual([
      'Instruction files that you have read:',
      `- "AGENTS.md" (sha256 ${sha256('Use tabs.').slice(0, 12)})`,
      `- "b/AGENTS.md" (sha256 ${sha256('Use spaces.').slice(0, 12)})`,
    ]);
  });

  test('has another revision after a file has changed, and asks the model to read it again', async () => {
    const { folder, files } = await read({ 'AGENTS.md': 'Use tabs.' });
    const source = instructionsSource();
    const [before] = await told(source, view(folder, { files }));
    await writeFile(join(folder, 'AGENTS.md'), 'Use spaces.');
    const [after, words] = await told(source, view(folder, { files }));
    expect(after).not.toBe(before);
    expect(words).toContain(': changed since then; read it again');
    expect(words).not.toContain('Use');
    files.set(join(folder, 'AGENTS.md'), sha256('Use spaces.'));
    const [again, calm] = await told(source, view(folder, { files }));
    expect(again).not.toBe(after);
    expect(calm).not.toContain('changed');
  });

  test('reports a file as gone if it was deleted or is no longer a regular file', async () => {
    const { folder, files } = await read({ 'AGENTS.md': 'Use tabs.', 'b/AGENTS.md': 'Use tabs.' });
    await rm(join(folder, 'AGENTS.md'));
    await rm(join(folder, 'b/AGENTS.md'));
    execFileSync('mkfifo', [join(folder, 'b/AGENTS.md')]);
    const [, words] = await told(instructionsSource(), view(folder, { files }));
    expect(words.match(/: removed since then/g)).toHaveLength(2);
  });

  test('has the revision of its earlier wording, so an earlier session is not sent the same note again', async () => {
    const { folder, files } = await read({ 'AGENTS.md': 'Use tabs.', 'b/AGENTS.md': 'Use tabs.' });
    await rm(join(folder, 'AGENTS.md'));
    await writeFile(join(folder, 'b/AGENTS.md'), 'Use spaces.');
    const [revision] = await told(instructionsSource(), view(folder, { files }));
    const short = sha256('Use tabs.').slice(0, 12);
    const earlier = [
      'Instruction files that you have read:',
      `- "AGENTS.md" (sha256 ${short}): gone since; it no longer holds`,
      `- "b/AGENTS.md" (sha256 ${short}): changed since; read it again before you go on with work under it`,
    ].join('\n');
    expect(revision).toBe(sha256(earlier).slice(0, 12));
  });

  test.skipIf(process.getuid?.() === 0)(
    'reports a file that cannot be read now (skipped as root, which may read every file)',
    async () => {
      const { folder, files } = await read({ 'AGENTS.md': 'Use tabs.' });
      await chmod(join(folder, 'AGENTS.md'), 0o000);
      expect((await told(instructionsSource(), view(folder, { files })))[1]).toContain('cannot be read now');
    },
  );

  test('does not mention a file that the agent itself deleted', async () => {
    const folder = await newFolder();
    const files = new Map([[join(folder, 'AGENTS.md'), undefined]]);
    expect(await instructionsSource().revision(view(folder, { files }))).toBeUndefined();
  });

  test('lists at most 40 files and reports how many more there are', async () => {
    const names = Array.from({ length: 45 }, (_, index) => [`p${index}/AGENTS.md`, 'x'] as const);
    const { folder, files } = await read(Object.fromEntries(names));
    const [, words] = await told(instructionsSource(), view(folder, { files }));
    expect(words.split('\n')).toHaveLength(42);
    expect(words).toContain('- and 5 more');
  });
});

describe('the instructions source with attached instructions', () => {
  const attach = instructionsSource({ instructions: 'attach' });

  test('includes the text in the note, and has another revision when the text changes', async () => {
    const { folder, files } = await read({ 'AGENTS.md': 'Use tabs.' });
    const [before, words] = await told(attach, view(folder, { files }));
    expect(words).toContain('do not read these files again');
    expect(words).toMatch(/\n\n# "AGENTS.md" \(of the workspace\)\n\nUse tabs\.$/);
    await writeFile(join(folder, 'AGENTS.md'), 'Use spaces.');
    expect((await told(attach, view(folder, { files })))[0]).not.toBe(before);
  });

  test('keeps the revision of the earlier wording, so an earlier session does not get the same text again', async () => {
    const { folder } = await read({ 'AGENTS.md': 'Use tabs.' });
    const noted = sha256("AGENTS.md of the workspace, attached by the user's choice:\n\nUse tabs.").slice(0, 12);
    expect(await attach.revision(view(folder, { noted, begun: true }))).toBe(noted);
    await writeFile(join(folder, 'AGENTS.md'), 'Use spaces.');
    expect(await attach.revision(view(folder, { noted, begun: true }))).toMatch(/^attached-/);
  });

  test('attaches the files from the root of the repository down to the workspace, and the nearest comes last', async () => {
    const root = await newFolder();
    const folder = join(root, 'packages/tax');
    await mkdir(join(root, '.git'));
    await mkdir(folder, { recursive: true });
    await writeFile(join(root, 'AGENTS.md'), 'Root.');
    await writeFile(join(root, 'packages/CLAUDE.md'), 'Middle.');
    await writeFile(join(folder, 'AGENTS.md'), 'Near.');
    await mkdir(join(folder, 'deep'));
    await writeFile(join(folder, 'deep/AGENTS.md'), 'Deep.');
    const own = join(await newFolder(), 'AGENTS.md');
    await writeFile(own, 'Own.');
    const [, words] = await told(instructionsSource({ instructions: 'attach', own: [own] }), view(folder));
    expect(words.match(/(Own|Root|Middle|Near|Deep)\./g)).toEqual(['Own.', 'Root.', 'Middle.', 'Near.']);
    expect(words).toContain('# "../../AGENTS.md" (of a folder above the workspace)');
  });

  test('reads no folder above a workspace without a repository', async () => {
    const root = await newFolder();
    await writeFile(join(root, 'AGENTS.md'), 'Above.');
    const folder = join(root, 'work');
    await mkdir(folder);
    expect(await attach.revision(view(folder))).toBeUndefined();
  });

  test.skipIf(process.getuid?.() !== 0)(
    'reads no folder above in a repository of another user (skipped unless root, which can give files away)',
    async () => {
      const root = await newFolder();
      const folder = join(root, 'work');
      await mkdir(join(root, '.git'));
      await mkdir(folder);
      await writeFile(join(root, 'AGENTS.md'), 'Above.');
      expect((await told(attach, view(folder)))[1]).toContain('Above.');
      await chown(join(root, '.git'), 12_345, 12_345);
      expect(await attach.revision(view(folder))).toBeUndefined();
      await chown(join(root, '.git'), 0, 0);
      await chown(root, 12_345, 12_345);
      expect(await attach.revision(view(folder))).toBeUndefined();
    },
  );

  test('uses CLAUDE.md only without AGENTS.md, and a link between both counts once', async () => {
    const { folder } = await read({ 'CLAUDE.md': 'Claude.', 'AGENTS.md': 'Agents.' });
    expect((await told(attach, view(folder)))[1]).not.toContain('Claude.');
    await rm(join(folder, 'AGENTS.md'));
    expect((await told(attach, view(folder)))[1]).toContain('# "CLAUDE.md" (of the workspace)\n\nClaude.');
    await symlink(join(folder, 'CLAUDE.md'), join(folder, 'AGENTS.md'));
    const [, words] = await told(attach, view(folder));
    expect(words.match(/Claude\./g)).toHaveLength(1);
  });

  test('names the files that a CLAUDE.md imports, and does not attach them', async () => {
    const text =
      'See @docs/style.md and `@docs/code.md`, mail a@docs/style.md, @docs/missing.md, @~/.claude/own.md\n```\n@docs/code.md\n```\n';
    const { folder } = await read({ 'CLAUDE.md': text, 'docs/style.md': 'Style.', 'docs/code.md': 'Code.' });
    const [, words] = await told(attach, view(folder));
    expect(words).toContain(
      '[It imports @docs/style.md, @~/.claude/own.md. Imports are not attached: read them before you work.]',
    );
    expect(words).not.toMatch(/Style\.|Code\./);
  });

  test('attaches only the file in the workspace folder', async () => {
    const { folder, files } = await read({ 'b/AGENTS.md': 'Use tabs.' });
    const [, words] = await told(attach, view(folder, { files }));
    expect(words).toContain('"b/AGENTS.md"');
    expect(words).not.toContain('Use tabs.');
  });

  test('does not follow a link out of the workspace', async () => {
    const secret = join(await newFolder(), 'secret');
    await writeFile(secret, 'the key');
    const folder = await newFolder();
    await symlink(secret, join(folder, 'AGENTS.md'));
    const [, words] = await told(attach, view(folder));
    expect(words).toContain('[Not attached: it is a link to a place outside the workspace.]');
    expect(words).not.toContain('the key');
  });

  test('cuts a long file between lines, says how to read on, and gives the nearest file its room first', async () => {
    const root = await newFolder();
    const folder = join(root, 'work');
    await mkdir(join(root, '.git'));
    await mkdir(folder);
    await writeFile(join(root, 'AGENTS.md'), 'above\n'.repeat(2_000));
    await writeFile(join(folder, 'AGENTS.md'), 'nearest\n'.repeat(2_500));
    const [, words] = await told(attach, view(folder));
    expect(Buffer.byteLength(words)).toBeLessThan(32_768);
    expect(words.match(/^nearest$/gm)).toHaveLength(2_500);
    expect(words).toMatch(/\[Cut after 4\d\d\d of 11999 bytes\. Tools cannot read the rest, because it is outside/);
    await writeFile(join(folder, 'AGENTS.md'), 'x'.repeat(200_000));
    const [, long] = await told(attach, view(folder));
    expect(long).toMatch(/\[Cut after 24576 of 200000 bytes\. Read the rest with read, path "AGENTS.md"\.\]/);
    expect(long).toMatch(/\[Cut after 0 of 11999 bytes/);
  });

  test("keeps the user's own file whole next to a long one of the workspace, and next to many of them", async () => {
    const own = join(await newFolder(), 'AGENTS.md');
    await writeFile(own, 'mine\n'.repeat(200));
    const withOwn = instructionsSource({ instructions: 'attach', own: [own] });
    const { folder } = await read({ 'AGENTS.md': 'x'.repeat(200_000) });
    const [, words] = await told(withOwn, view(folder));
    expect(words.match(/^mine$/gm)).toHaveLength(200);
    expect(words).toMatch(/\[Cut after 2\d\d\d\d of 200000 bytes\. Read the rest with read, path "AGENTS\.md"\.\]/);
    expect(words.indexOf('mine')).toBeLessThan(words.indexOf('xxx'));
    const root = await newFolder();
    const deep = join(root, ...Array.from({ length: 14 }, (_, level) => `l${level}`));
    await mkdir(deep, { recursive: true });
    await mkdir(join(root, '.git'));
    for (let at = deep; at !== root; at = join(at, '..')) await writeFile(join(at, 'AGENTS.md'), `At ${at}.`);
    const [, many] = await told(withOwn, view(deep));
    expect(many).toContain('mine\n');
    expect(many.match(/^At .*\.$/gm)).toHaveLength(11);
  });

  test('attaches nothing new to a session that began without files', async () => {
    const { folder } = await read({ 'AGENTS.md': 'Use tabs.' });
    const only = instructionsSource({ instructions: 'attach', onlyNew: true });
    expect(await only.revision(view(folder, { begun: true }))).toBeUndefined();
    const first = await only.revision(view(folder));
    expect(first).toMatch(/^attached-/);
    await writeFile(join(folder, 'AGENTS.md'), 'Use spaces.');
    const again = await only.revision(view(folder, { begun: true, ...(first !== undefined && { noted: first }) }));
    expect(again).toMatch(/^attached-/);
    expect(again).not.toBe(first);
  });
});
