// Tests `tidemark rewind --files`: a session whose tools changed, created and ran something is rewound, and its files
// are restored.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxState } from '@tidemark/kit';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Choices, Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

const SECRET = 'tok-0123456789abcdef';

let stage: Stage;
let id: string;

beforeEach(async () => {
  stage = openStage();
  stage.write('note.txt', `the key is ${SECRET}\n`);
  const scenario = stage.scenario({ answer: { text: 'Ready.' } });
  const mode = ['--mode', 'auto', '--allow-unsandboxed'];
  await tidemark(['say hello', '--provider', 'simulator', '--scenario', scenario, ...mode]);
  const rest = stage.scenario(
    { answer: calls('edit', { path: 'note.txt', old_text: 'the key is', new_text: 'a key:' }) },
    { answer: calls('write', { path: 'new.txt', content: 'made\n' }) },
    { answer: calls('bash', { command: 'echo more > more.txt' }) },
    { answer: { text: 'Done.' } },
  );
  await tidemark(['--continue', 'change it', '--provider', 'simulator', '--scenario', rest, ...mode]);
  const [session] = (await openNdjsonStore({ home: stage.home }).sessions()).sessions;
  id = session?.session ?? expect.unreachable();
});

afterEach(() => stage.clear());

const tidemark = (args: readonly string[], choices: Choices = {}): Promise<Ran> =>
  pretendRun(args, {
    folder: stage.folder,
    environment: { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, A_TOKEN: SECRET },
    ...choices,
  });

const read = (name: string): string => readFileSync(join(stage.folder, name), 'utf8');
const path = (name: string): string => join(stage.folder, name);
const sessions = (): number => readdirSync(join(stage.home, 'sessions')).length;

describe('`tidemark rewind --files`', () => {
  test('shows the diff of each file, restores what the user wants, and names what it cannot restore', async () => {
    const asked: string[] = [];
    const person = (question: string): string => {
      asked.push(question);
      return question.includes('delete new.txt') ? 'n' : 'y';
    };
    const ran = await tidemark(['rewind', id, '--files'], { person });
    expect(ran.exit).toBe(0);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain(`restore note.txt\n│ @@ -1,1 +1,1 @@\n│ -a key: ${SECRET}`);
    expect(asked[1]).toContain('delete new.txt\n│ @@ -1,1 +0,0 @@\n│ -made');
    expect(read('note.txt')).toBe(`the key is ${SECRET}\n`);
    expect(read('new.txt')).toBe('made\n');
    expect(ran.out).toContain('  can be restored: note.txt, new.txt\n');
    expect(ran.out).toContain(
      '  1 call may have changed more files, which are not restored:\n    bash echo more > more.txt',
    );
    expect(ran.out).toContain('restored 1 file; 1 file left as it is\n');
    expect(sessions()).toBe(2);
  });

  test('restores the rest without questions after `a`, and nothing more after `q`', async () => {
    let asked = 0;
    const answer = (text: string) => (): string => {
      asked += 1;
      return text;
    };
    await tidemark(['rewind', id, '--files'], { person: answer('q') });
    expect([asked, existsSync(path('new.txt')), read('note.txt').slice(0, 5)]).toEqual([1, true, 'a key']);
    await tidemark(['rewind', id, '--files'], { person: answer('a') });
    expect([asked, existsSync(path('new.txt')), read('note.txt').slice(0, 7)]).toEqual([2, false, 'the key']);
  });

  test('treats two unclear answers as a no', async () => {
    await tidemark(['rewind', id, '--files'], { person: () => 'maybe' });
    expect([existsSync(path('new.txt')), read('note.txt').slice(0, 5)]).toEqual([true, 'a key']);
  });

  test('with --yes restores all that can be restored, but no file that changed since', async () => {
    writeFileSync(path('note.txt'), 'mine\n');
    const ran = await tidemark(['rewind', id, '--files', '--yes']);
    expect(ran.out).toContain('cannot be restored: note.txt: it was changed since the last change by a file tool\n');
    expect([existsSync(path('new.txt')), read('note.txt')]).toEqual([false, 'mine\n']);
  });

  test('with --json lists the files and calls, and restores them only with --yes', async () => {
    const list = JSON.parse((await tidemark(['rewind', id, '--files', '--json'])).out);
    expect(list).toMatchObject({
      files: 'unchanged',
      restored: {
        files: [
          { path: path('note.txt'), state: 'restorable', reason: '', restored: false },
          { path: path('new.txt'), state: 'restorable', restored: false },
        ],
        calls: [{ session: id, tool: 'bash', title: 'bash echo more > more.txt' }],
      },
    });
    expect(JSON.stringify(list)).not.toContain(SECRET);
    expect(read('new.txt')).toBe('made\n');
    const done = JSON.parse((await tidemark(['rewind', id, '--files', '--yes', '--json'])).out);
    expect(done).toMatchObject({ files: 'restored', restored: { files: [{ restored: true }, { restored: true }] } });
    expect([existsSync(path('new.txt')), read('note.txt').slice(0, 7)]).toEqual([false, 'the key']);
  });

  test('with --dry-run lists the files and changes nothing', async () => {
    const ran = await tidemark(['rewind', id, '--files', '--dry-run']);
    expect(ran.out).toContain('  can be restored: note.txt, new.txt\n');
    expect([read('new.txt'), sessions()]).toEqual(['made\n', 1]);
  });

  test('without a terminal and without --yes is refused before a fork is created', async () => {
    expect(await tidemark(['rewind', id, '--files'])).toMatchObject({ exit: 3, out: '' });
    expect(await tidemark(['rewind', id, '--yes'])).toMatchObject({ exit: 2, out: '' });
    expect(sessions()).toBe(1);
  });

  test('works in the next process too, and keeps the bytes in files that only the user can read', async () => {
    const folder = join(stage.home, 'sessions', id, 'undo');
    const names = readdirSync(folder);
    expect(names).toHaveLength(1);
    expect(readFileSync(join(folder, names[0] ?? ''), 'utf8')).toContain(SECRET);
    expect(statSync(join(folder, names[0] ?? '')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(stage.home, 'sessions', id, 'log.ndjson'), 'utf8')).not.toContain(SECRET);
  });

  test('keeps the bytes out of an export', async () => {
    for (const format of ['json', 'markdown', 'html']) {
      const { out, exit } = await tidemark(['export', id, '--format', format]);
      expect([format, exit, out.includes(SECRET)]).toEqual([format, 0, false]);
    }
  });
});

describe('the kept bytes', () => {
  test('cannot be read by the tools of an agent', async () => {
    const folder = join(stage.home, 'sessions', id, 'undo');
    const [name = ''] = readdirSync(folder);
    const steps = [
      { answer: calls('read', { path: join(folder, name) }) },
      { answer: calls('grep', { pattern: 'key', path: folder }) },
      { answer: calls('output_read', { output: name }) },
      { answer: { text: 'No.' } },
    ];
    const scenario = stage.scenario(...steps);
    await tidemark(['--continue', 'look', '--provider', 'simulator', '--scenario', scenario, '--mode', 'auto']);
    const log = readFileSync(join(stage.home, 'sessions', id, 'log.ndjson'), 'utf8');
    const failed = log.split('\n').filter((line) => line.includes('"tool.failed"'));
    expect(failed).toHaveLength(3);
    expect(failed[0]).toContain('it is part of the log of the sessions');
  });

  test.skipIf(sandboxState(tmpdir()) !== 'works')(
    'cannot be read by a sandboxed command (skipped without a sandbox)',
    async () => {
      const file = join(
        stage.home,
        'sessions',
        id,
        'undo',
        readdirSync(join(stage.home, 'sessions', id, 'undo'))[0] ?? '',
      );
      const command = `cat ${file} || echo "cannot be read"`;
      const scenario = stage.scenario({ answer: calls('bash', { command }) }, { answer: { text: 'No.' } });
      await tidemark(['--continue', 'look', '--provider', 'simulator', '--scenario', scenario, '--mode', 'auto']);
      const log = readFileSync(join(stage.home, 'sessions', id, 'log.ndjson'), 'utf8');
      const returned = log.split('\n').filter((line) => line.includes('"tool.returned"'));
      expect(returned.at(-1)).toContain('No such file or directory');
      expect(returned.at(-1)).toContain('cannot be read');
    },
  );
});
