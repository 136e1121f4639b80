// Tests secrets of every shape in a prompt, a result, a long output and an error. No secret reaches a file, a request,
// the `--json` output or an export.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { SAMPLES } from '@tidemark/agent/contract/secret-samples';
import type { ListeningSimulator, ReceivedRequest } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { digest } from '@tidemark/log';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

let stage: Stage;
let listening: ListeningSimulator | undefined;
let sent: ReceivedRequest[];

beforeEach(() => {
  stage = openStage();
  sent = [];
});

afterEach(async () => {
  await listening?.close();
  stage.clear();
});

const TEXT = SAMPLES.map(({ lead, secret, tail }) => lead + secret + tail).join('\n\n');

async function tidemark(...args: readonly string[]): Promise<Ran> {
  const environment = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, ANTHROPIC_API_KEY: 'no-real-key-at-all' };
  return pretendRun(args, { folder: stage.folder, environment });
}

/** Runs a prompt with `--json`. The model gives these answers in order, and then the text `Done.` */
async function ask(prompt: string, ...answers: readonly ReturnType<typeof calls>[]): Promise<Ran> {
  const steps = [...answers, { text: 'Done.' }].map((answer) => ({ answer }));
  const onRequest = (request: ReceivedRequest): undefined => void sent.push(request);
  listening = await createSimulator({ scenario: { steps }, onRequest }).listen();
  const flags = ['--base-url', listening.url, '--mode', 'auto', '--allow-unsandboxed', '--json'];
  return tidemark('run', prompt, ...flags);
}

async function session(): Promise<string> {
  const { out } = await tidemark('sessions', '--json');
  return /"session":"([^"]+)"/.exec(out)?.[1] ?? '';
}

async function bytesBelow(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const contents = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')));
  return contents.join('\n');
}

/**
 * Returns the content of the tool outputs to which the log refers. The artifacts are read through the store, because
 * they may be compressed on disk.
 */
async function outputs(log: string): Promise<string> {
  const { artifacts } = openNdjsonStore({ home: stage.home });
  const digests = new Set([...log.matchAll(/"output":"([0-9a-f]{64})"/g)].map(([, name = '']) => name));
  const texts = [...digests].map(async (name) => {
    const chunks = await Array.fromAsync(artifacts.get(digest(name)));
    return Buffer.concat(chunks).toString();
  });
  return (await Promise.all(texts)).join('\n');
}

/**
 * Returns the titles of the samples found in the text. A sample is found if the text contains at least one of its
 * lines, either literally or as escaped in JSON.
 */
function leaksIn(text: string): readonly string[] {
  return SAMPLES.filter(({ secret }) => {
    const lines = secret.split(/\n|(?:\\)+n/).filter((line) => line.length > 4 && !/^-----|^DEK|^Proc/.test(line));
    return lines.some((line) => text.includes(line) || text.includes(JSON.stringify(line).slice(1, -1)));
  }).map(({ title }) => title);
}

describe('a secret of any shape', () => {
  test('appears in no file, request, --json output or export of a session that received it', async () => {
    stage.write('secrets.txt', TEXT);
    stage.write('long.txt', `${TEXT}\n`.repeat(40));
    const ran = await ask(
      `Look at this:\n${TEXT}`,
      calls('read', { path: 'secrets.txt' }),
      calls('bash', { command: 'cat long.txt' }),
      calls('bash', { command: 'cat secrets.txt >&2; exit 3' }),
      calls('edit', { path: 'secrets.txt', old_text: 'OPENAI_API_KEY=nothing', new_text: 'x' }),
    );
    expect(ran).toMatchObject({ exit: 0 });
    const id = await session();
    const home = await bytesBelow(stage.home);
    const kept = await outputs(home);
    expect(kept.length).toBeGreaterThan(TEXT.length * 20);
    expect(sent.length).toBe(5);
    const places = {
      'the files of the home': home,
      'the long output': kept,
      'the requests': JSON.stringify(sent.map(({ body }) => body)),
      '--json': ran.out + ran.err,
      markdown: (await tidemark('export', id, '--format', 'markdown')).out,
      html: (await tidemark('export', id, '--format', 'html')).out,
      json: (await tidemark('export', id, '--format', 'json')).out,
      show: (await tidemark('show', id, '--json')).out,
    };
    for (const [place, text] of Object.entries(places)) {
      expect([place, leaksIn(text)]).toEqual([place, []]);
      if (place !== 'show')
        for (const { name } of SAMPLES)
          expect([place, text]).toEqual([place, expect.stringContaining(`[secret:${name}]`)]);
    }
    expect(leaksIn(TEXT)).toHaveLength(SAMPLES.length);
    expect(await tidemark('verify', id)).toMatchObject({ exit: 0 });
  });

  test('in an answer of the model is masked in each export, and the JSON export stays valid', async () => {
    const ran = await ask('Say it.', calls('note', { text: TEXT }, TEXT));
    expect(ran).toMatchObject({ exit: 0 });
    const id = await session();
    for (const format of ['markdown', 'html', 'json']) {
      const { exit, out } = await tidemark('export', id, '--format', format);
      expect([format, exit, leaksIn(out)]).toEqual([format, 0, []]);
    }
  });
});

describe('an edit', () => {
  test('that fails because of a masked secret returns the reason and a way to edit around the secret', async () => {
    const lines = ['# settings', 'NAME=shop', 'DB_PASSWORD=hunter2', 'PORT=80'];
    stage.write('settings.txt', `${lines.join('\n')}\n`);
    const across = { old_text: 'NAME=shop\nDB_PASSWORD=\nPORT=80', new_text: 'NAME=store\nDB_PASSWORD=\nPORT=80' };
    await ask(
      'Rename it.',
      calls('edit', { path: 'settings.txt', ...across }),
      calls('edit', { path: 'settings.txt', old_text: 'DB_PASSWORD=[secret:DB_PASSWORD]', new_text: 'x' }),
      calls('edit', { path: 'settings.txt', old_text: 'NAME=shop', new_text: 'NAME=store' }),
    );
    const [unmatched, refused, done] = sent.slice(1).map(({ toolResults }) => toolResults[0]?.text ?? '');
    expect(unmatched).toContain('DB_PASSWORD=[secret:DB_PASSWORD]');
    expect(unmatched).toContain('replaces a secret in the file that you are not shown');
    expect(unmatched).toContain('Choose text that ends before the secret or begins after it');
    expect(refused).toContain('for an edit, text that ends before it or begins after it');
    expect(done).toContain('edited settings.txt at line 2');
    expect(await readFile(join(stage.folder, 'settings.txt'), 'utf8')).toContain('NAME=store\nDB_PASSWORD=hunter2\n');
  });
});
