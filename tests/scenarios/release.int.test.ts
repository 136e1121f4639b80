// Output of `npm run release`, used like an installation: under `node_modules`, where Node does not run TypeScript.

import { createSimulator, parseScenario } from '@tidemark/simulator';
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readPage } from '../guides/documents.ts';
import { blocksIn } from '../guides/read-blocks.ts';
import { runProgram } from '../guides/run-snippet.ts';

import { parseFile, walk } from '../architecture/imports.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
// The folder is inside the repository's `node_modules`, so that third-party packages are found from it.
const FOLDER = mkdtempSync(join(ROOT, 'node_modules', '.tidemark-release-'));
const PACKAGES = join(FOLDER, 'node_modules');

function start(command: string, ...args: readonly string[]): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: FOLDER,
    encoding: 'utf8',
    env: { ...process.env, HOME: FOLDER },
  });
  return { status, said: stdout + stderr };
}

/** Returns true if the code contains `using` or `await using`, which Node 22 cannot parse. */
function declaresUsing(path: string, text: string): boolean {
  let found = false;
  walk(parseFile(path, text), (node) => {
    found ||= node.type === 'VariableDeclaration' && node.kind.endsWith('using');
  });
  return found;
}

/** Returns the specifiers of the packages that a file imports. Node's own modules are left out. */
function packagesImportedBy(path: string, text: string): readonly string[] {
  const found: string[] = [];
  walk(parseFile(path, text), (node) => {
    const source = node.type === 'ImportDeclaration' || node.type === 'ImportExpression' ? node.source : undefined;
    if (source?.type === 'Literal' && typeof source.value === 'string') found.push(source.value);
  });
  return found.filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier));
}

beforeAll(() => expect(start(process.execPath, join(ROOT, 'scripts/release.ts'), FOLDER)).toMatchObject({ status: 0 }));
afterAll(() => rmSync(FOLDER, { recursive: true }));

test('the release contains every package except the test packages, and no TypeScript source file', async () => {
  const rooms = ['packages', 'stores', 'providers', 'tools'].flatMap((shelf) =>
    globSync(join(ROOT, shelf, '*/package.json')),
  );
  expect(readdirSync(join(PACKAGES, '@tidemark'))).toHaveLength(rooms.length);
  const files = readdirSync(PACKAGES, { recursive: true, encoding: 'utf8' });
  expect(files.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([]);
  expect(files.filter((path) => /\.test\.d\.ts$|node_modules/.test(path))).toEqual([]);
  const manifest: unknown = JSON.parse(await readFile(join(PACKAGES, '@tidemark/kit/package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('private');
  expect(manifest).toMatchObject({
    type: 'module',
    engines: { node: '^22.18.0 || >=24.0.0' },
    exports: { '.': { default: './index.js' } },
  });
});

test('no file of the release contains syntax that Node 22 cannot parse', async () => {
  const files = globSync(join(PACKAGES, '**/*.js'));
  const read = await Promise.all(files.map(async (path) => ({ path, text: await readFile(path, 'utf8') })));
  expect(read.length).toBeGreaterThan(22);
  const newer = read.filter(({ path, text }) => declaresUsing(path, text));
  expect(newer.map(({ path }) => path)).toEqual([]);
});

test('the program of the released command contains its libraries, and lists their licences', async () => {
  const files = globSync(['main.js', 'program/*.js'], { cwd: join(PACKAGES, 'tidemark') });
  expect(files).toContain('main.js');
  const texts = await Promise.all(files.map((path) => readFile(join(PACKAGES, 'tidemark', path), 'utf8')));
  const imported = texts.flatMap((text, index) => packagesImportedBy(files[index] ?? '', text));
  expect([...new Set(imported)].toSorted()).toEqual([
    // A user who keeps artifacts in S3 installs it. It has 22 MB.
    '@aws-sdk/client-s3',
    '@napi-rs/keyring',
    '@vscode/ripgrep',
    'react-devtools-core',
    'sharp',
  ]);
  const licences = await readFile(join(PACKAGES, 'tidemark/THIRD-PARTY.txt'), 'utf8');
  for (const name of ['react', 'ink', 'yoga-layout', 'zod', '@anthropic-ai/sdk'])
    expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\((?:MIT|Apache-2\\.0)\\)$`, 'm'));
  expect(licences).toContain('Copyright (c) Meta Platforms, Inc.');
  expect(licences).not.toContain('@tidemark/');
});

test('the packages that migrate a database contain its migrations', () => {
  for (const folder of ['@tidemark/store-postgres', 'tidemark/program'])
    expect(globSync('*.sql', { cwd: join(PACKAGES, folder, 'migrations') })).toContain('0001_log.sql');
});

test('the package of the command names its man page, and contains it', async () => {
  const folder = join(PACKAGES, 'tidemark');
  const { man }: { readonly man: string } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  expect(await readFile(join(folder, man), 'utf8')).toContain('.TH TIDEMARK 1');
});

test("the release script writes nothing into a project, because it would delete the project's own packages", () => {
  const project = join(FOLDER, 'project');
  mkdirSync(join(project, 'node_modules', 'own'), { recursive: true });
  writeFileSync(join(project, 'package.json'), '{}');
  const { status, said } = start(process.execPath, join(ROOT, 'scripts/release.ts'), project);
  expect(status).toBe(1);
  expect(said).toContain('is a project: name another folder');
  expect(readdirSync(join(project, 'node_modules'))).toEqual(['own']);
});

test('the released command runs with its bundled files', () => {
  const command = join(PACKAGES, 'tidemark/bin/tidemark.cjs');
  expect(start(process.execPath, command, '--version').said).toMatch(/^\d+\.\d+\.\d+\n$/);
  const demo = start(process.execPath, command, 'demo');
  expect(demo.said).toMatch(/1\.000 × the ideal.*all bytes identical/s);
  expect(demo.status).toBe(0);
});

test('a program that imports the release is type-checked and runs', () => {
  const program = (model: string): string =>
    `import { createAgent } from '@tidemark/kit';
    const agent = createAgent({ model: ${model}, apiKey: 'unused', store: 'memory' });
    console.log(agent.capabilities.model, (await agent.open()).id.length > 0);
    await agent.close();
    `;
  writeFileSync(join(FOLDER, 'good.mts'), program("'claude-sonnet-5-5'"));
  writeFileSync(join(FOLDER, 'bad.mts'), program('5'));
  const options = ['--ignoreConfig', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
  const compile = (name: string) => start(join(ROOT, 'node_modules/.bin/tsc'), ...options, name);
  expect(compile('good.mts')).toEqual({ status: 0, said: '' });
  expect(start(process.execPath, 'good.mjs')).toEqual({ status: 0, said: 'claude-sonnet-5-5 true\n' });
  expect(compile('bad.mts').said).toMatch(/^bad\.mts.*Type 'number' is not assignable to type 'string'/);
});

test('the program of README.md, pasted as `.mts` into a CommonJS project, runs with the release', async () => {
  const scenario = parseScenario({
    steps: [
      { answer: { calls: [{ name: 'count_stock', arguments: { article: 'lamp' } }] } },
      { expect: { toolResult: '"pieces":12' }, answer: { text: 'There are 12 lamps in stock.' } },
    ],
  });
  const { url, close } = await createSimulator({ scenario }).listen();
  onTestFinished(close);
  const shown = blocksIn(await readPage(ROOT, 'README.md')).find((block) => block.language === 'ts first-agent.ts');
  const program = shown?.lines.join('\n').replace('createAgent({ ', `createAgent({ baseURL: '${url}', `) ?? '';
  // The project is outside of `node_modules`, where Node runs no TypeScript.
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-pasted-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(PACKAGES, '@tidemark'), join(folder, 'node_modules', '@tidemark'));
  symlinkSync(join(ROOT, 'node_modules', 'zod'), join(folder, 'node_modules', 'zod'));
  // `npm init` of npm 11 writes this type.
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }');
  writeFileSync(join(folder, 'first-agent.mts'), program);
  const ended = await runProgram(join(folder, 'first-agent.mts'), [], { folder, url });
  expect(ended).toEqual({ exit: 0, signal: null, out: 'There are 12 lamps in stock.\n', err: '' });
});
