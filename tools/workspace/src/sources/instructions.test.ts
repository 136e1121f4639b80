import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
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
    expect(words).toBe("AGENTS.md of the workspace, attached by the user's choice:\n\nUse tabs.");
    await writeFile(join(folder, 'AGENTS.md'), 'Use spaces.');
    expect((await told(attach, view(folder, { files })))[0]).not.toBe(before);
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
    expect(words).toBe('AGENTS.md of the workspace is a link to a place outside the workspace, and is not attached.');
  });

  test('attaches only the beginning of a long file, and reports this', async () => {
    const { folder } = await read({ 'AGENTS.md': 'x'.repeat(200_000) });
    const [, words] = await told(attach, view(folder));
    expect(words.length).toBeLessThan(70_000);
    expect(words).toContain('only its beginning is shown here');
  });
});
