// Tests the values that complete a word: sessions, models, efforts, servers and paths.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { defaultCatalog } from '@tidemark/model';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { pretendRun } from '../../tests/pretend-run.ts';
import { storeSession } from '../../tests/stored-session.ts';

let root = '';
let home = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tidemark-complete-'));
  home = join(root, 'home');
});

afterEach(() => rmSync(root, { recursive: true }));

/** Returns the lines of the answer. */
async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const { exit, out, err } = await pretendRun(['completion', 'fish', '--words', '--', ...words], {
    folder: root,
    environment: { TIDEMARK_HOME: home, XDG_CONFIG_HOME: join(root, 'config') },
  });
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  return out.trimEnd().split('\n');
}

test('the first line names the paths that the shell adds', async () => {
  expect(await complete('import', '')).toEqual(['files']);
  expect(await complete('run', '--config', '')).toEqual(['files']);
  expect(await complete('trust', '')).toEqual(['folders']);
  expect(await complete('show', 'some-id', '')).toEqual(['none']);
});

test('sessions are offered by their ids, with title and age, newest first', async () => {
  await storeSession(home, { id: '0197a-first', title: 'Fix the\u001b[31m   parser' });
  await storeSession(home, { id: '0197b-second' });
  expect((await complete('show', '')).toSorted()).toEqual([
    '0197a-first\tFix the parser, 0 min ago',
    '0197b-second\t0 min ago',
    'none',
  ]);
  expect(await complete('fork', '0197b')).toEqual(['none', '0197b-second\t0 min ago']);
  expect(await complete('run', '--session=0197a')).toEqual([
    'none',
    '--session=0197a-first\tFix the parser, 0 min ago',
  ]);
});

test('a title offers the ids of the sessions that it can mean', async () => {
  await storeSession(home, { id: '0197a-first', title: 'Fix the parser' });
  await storeSession(home, { id: '0198b-second', title: 'Fix the printer' });
  expect(await complete('show', 'pars')).toEqual(['none', '0197a-first\tFix the parser, 0 min ago']);
  expect(await complete('show', 'fix')).toEqual([
    'none',
    '0198b-second\tFix the printer, 0 min ago',
    '0197a-first\tFix the parser, 0 min ago',
  ]);
  expect(await complete('show', 'fix the parser')).toEqual(['none', '0197a-first\tFix the parser, 0 min ago']);
});

test('models, their short names and efforts come from the catalog', async () => {
  expect(await complete('--model', 'opus')).toEqual(['none', 'opus\tthe newest one']);
  expect(await complete('models', 'claude-opus-')).toContain('claude-opus-4-8\tanthropic');
  expect((await complete('run', '--effort', 'l')).map((line) => line.split('\t')[0])).toEqual(['none', 'low']);
});

test('MCP servers are those of the settings, and a folder that is not trusted causes no question', async () => {
  mkdirSync(join(root, 'config', 'tidemark'), { recursive: true });
  mkdirSync(join(root, '.tidemark'));
  const servers = { mcp: { servers: { files: { command: 'files-server' } } } };
  writeFileSync(join(root, 'config', 'tidemark', 'tidemark.config.json'), JSON.stringify(servers));
  writeFileSync(
    join(root, '.tidemark', 'config.json'),
    JSON.stringify({ mcp: { servers: { shop: { command: 'shop-server' } } } }),
  );
  const { out, err } = await pretendRun(['completion', 'fish', '--words', '--', 'mcp', 'test', ''], {
    folder: root,
    environment: { TIDEMARK_HOME: home, XDG_CONFIG_HOME: join(root, 'config') },
    person: () => expect.unreachable(),
  });
  expect(out).toBe('none\nfiles\tfrom the user settings\nshop\tfrom the workspace settings\n');
  expect(err).toBe('');
});

test('a name that a shell would change is not offered', async () => {
  mkdirSync(home);
  const [known] = defaultCatalog().rows;
  const rows = ['my-model', 'my$(id)'].map((model) => ({ ...known, model, aliases: [] }));
  writeFileSync(join(home, 'catalog.json'), JSON.stringify({ revision: 1, rows }));
  const { out } = await pretendRun(['completion', 'fish', '--words', '--', '--model', 'my'], {
    folder: root,
    environment: { TIDEMARK_HOME: home },
  });
  expect(out).toBe('none\nmy-model\tanthropic\nmythos\tthe newest one\n');
});

test('completing writes nothing', async () => {
  await complete('show', '');
  await complete('--model', '');
  await complete('mcp', 'test', '');
  expect(readdirSync(root)).toEqual([]);
});

test('own agents are offered by their names, without those of a folder that is not trusted', async () => {
  const text = '---\ndescription: Reviews a change.\n---\nReview it.';
  const folder = join(root, 'work');
  const [own, strange] = [join(root, 'config', 'tidemark', 'agents'), join(folder, '.agents', 'agents')];
  for (const path of [own, strange]) mkdirSync(path, { recursive: true });
  writeFileSync(join(own, 'reviewer.md'), text);
  writeFileSync(join(strange, 'stranger.md'), text);
  const environment = { TIDEMARK_HOME: home, XDG_CONFIG_HOME: join(root, 'config') };
  const line = ['completion', 'fish', '--words', '--', 'run', '--agent', ''];
  const { out } = await pretendRun(line, { folder, environment });
  expect(out.trimEnd().split('\n')).toEqual(['none', 'reviewer\tReviews a change.']);
});
