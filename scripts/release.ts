// Builds packages that can be installed from a registry. Each package of the project becomes compiled JavaScript in a
// small number of files, with its types. It is compiled because Node does not strip types under `node_modules`. It has
// few files because Node must find and link each file at every start. The program of the command also contains its
// libraries. The output has the layout of an installation, so it can be run without installing it.
//
// - `node scripts/release.ts [folder]` writes `<folder>/node_modules`. The default folder is `release`.

import { existsSync } from 'node:fs';
import { cp, glob, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';
import { isolatedDeclaration } from 'rolldown/experimental';

import { buildParts } from '../packages/inspector/page/build-parts.ts';
import { bundleProgram, NOT_BUNDLED } from './bundle-program.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly man?: string;
  readonly dependencies?: Dependencies;
  readonly peerDependencies?: Dependencies;
  readonly peerDependenciesMeta?: object;
}

/** Versions of packages by name. */
type Dependencies = Readonly<Record<string, string>>;

/**
 * A package to release. `entries` are the source files that become separate files, by name. `program` is a source file
 * that is bundled with all its libraries. `brings` are other files to copy.
 */
interface Room {
  readonly folder: string;
  readonly program?: string;
  readonly entries: Readonly<Record<string, string>>;
  readonly brings: readonly string[];
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SHELVES = ['packages', 'stores', 'providers', 'tools'];
/**
 * Supported versions of Node. Node 22.18 is the first Node 22 that loads settings in TypeScript. Node 23 is not supported,
 * because it ended and its first versions lack that and Zstandard. The start script `bin/tidemark.cjs` checks the same.
 */
const ENGINES = '^22.18.0 || >=24.0.0';
/** The syntax of the output. Node 22 cannot parse all syntax of the sources, such as `await using`. */
const LOWERED_TO = 'node22';
const COMMAND: Room = {
  folder: 'apps/cli',
  entries: { index: 'src/index.ts' },
  program: 'src/main.ts',
  brings: ['bin', 'man', 'demo/project', 'demo/recording.jsonl'],
};

await release(resolve(process.argv[2] ?? join(ROOT, 'release')));

async function release(folder: string): Promise<void> {
  // Refuses a project folder, because the folder `node_modules` in it would be deleted.
  if (existsSync(join(folder, 'package.json'))) throw new Error(`${folder} is a project: name another folder`);
  const modules = join(folder, 'node_modules');
  await rm(modules, { recursive: true, force: true });
  const shelved = await libraries();
  for (const room of shelved) await releaseRoom(room, modules);
  await releaseRoom(COMMAND, modules, await notBundledBy(shelved));
  await releasePage(modules);
  await releaseMigrations(modules);
  console.log(`${shelved.length + 1} packages in ${modules}`);
}

/** Writes the bundled page of the inspector next to the code that reads it: in its package, and in the program. */
async function releasePage(modules: string): Promise<void> {
  const parts = JSON.stringify(await buildParts());
  for (const folder of ['@tidemark/inspector', 'tidemark/program'])
    await writeFile(join(modules, folder, 'inspector-parts.json'), parts);
}

/** Copies the migrations of the database next to the code that runs them: in its package, and in the program. */
async function releaseMigrations(modules: string): Promise<void> {
  for (const folder of ['@tidemark/store-postgres', 'tidemark/program'])
    await cp(join(ROOT, 'stores/postgres/src/migrations'), join(modules, folder, 'migrations'), { recursive: true });
}

/** Returns the dependencies of these packages that a bundle of them does not contain. */
async function notBundledBy(rooms: readonly Room[]): Promise<Dependencies> {
  const manifests = await Promise.all(rooms.map(readManifest));
  const all = manifests.flatMap(({ dependencies = {} }) => Object.entries(dependencies));
  return Object.fromEntries(all.filter(([name]) => NOT_BUNDLED.includes(name)));
}

async function readManifest({ folder }: Room): Promise<Manifest> {
  return JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8'));
}

async function libraries(): Promise<readonly Room[]> {
  const found = await Promise.all(
    SHELVES.map(async (shelf) => (await readdir(join(ROOT, shelf))).map((name) => join(shelf, name))),
  );
  // A folder without `package.json` is not a package. A renamed package can leave such a folder with ignored files in a
  // checkout.
  const rooms = found.flat().filter((folder) => existsSync(join(ROOT, folder, 'package.json')));
  return rooms.map((folder) => ({ folder, entries: { index: 'src/index.ts' }, brings: [] }));
}

/** Writes a package. `needed` are dependencies that its manifest does not declare. */
async function releaseRoom(room: Room, modules: string, needed: Dependencies = {}): Promise<void> {
  const { folder, entries, program, brings } = room;
  const from = join(ROOT, folder);
  const manifest = await readManifest(room);
  const to = join(modules, manifest.name);
  await joinSources(from, entries, to);
  if (program !== undefined) await bundleProgram({ entry: join(from, program), to, target: LOWERED_TO });
  await writeTypes(join(from, 'src'), join(to, 'types'));
  for (const path of ['README.md', ...brings]) await cp(join(from, path), join(to, path), { recursive: true });
  await cp(join(ROOT, 'LICENSE'), join(to, 'LICENSE'));
  await writeFile(join(to, 'package.json'), `${JSON.stringify(released(manifest, needed), null, 2)}\n`);
}

/**
 * Bundles the sources into one file per entry, plus separate files for modules that are loaded with `import()`. Imports
 * of other packages remain imports.
 */
async function joinSources(from: string, entries: Room['entries'], to: string): Promise<void> {
  const input = Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(from, path)]));
  const transform = { target: LOWERED_TO };
  const joined = await rolldown({ input, platform: 'node', external: isOfOthers, transform });
  try {
    await joined.write({ dir: to, format: 'esm', chunkFileNames: '[name].js' });
  } finally {
    await joined.close();
  }
}

/** Returns true for another package. The functions that replace lowered syntax are part of rolldown, not of a package. */
function isOfOthers(specifier: string): boolean {
  return !/^[./]/.test(specifier) && !specifier.startsWith('@oxc-project/runtime/');
}

/** Writes the type declarations file by file. The compiler setting `isolatedDeclarations` makes this possible. */
async function writeTypes(from: string, to: string): Promise<void> {
  for await (const path of glob('**/*.ts', { cwd: from, exclude: ['**/*.test.ts'] })) {
    const { code, errors } = await isolatedDeclaration(path, await readFile(join(from, path), 'utf8'));
    if (errors.length > 0)
      throw new Error(`${path} has types that cannot be derived from this file alone: run npm run check`);
    const place = join(to, path.replace(/\.ts$/, '.d.ts'));
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, code);
  }
}

function released(
  { name, version, description, license, bin, man, dependencies, peerDependencies, peerDependenciesMeta }: Manifest,
  needed: Dependencies,
): object {
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines: { node: ENGINES },
    exports: { '.': { types: './types/index.d.ts', default: './index.js' } },
    ...(bin && { bin }),
    ...(man !== undefined && { man }),
    ...(dependencies && { dependencies: { ...dependencies, ...needed } }),
    ...(peerDependencies && { peerDependencies }),
    ...(peerDependenciesMeta && { peerDependenciesMeta }),
  };
}
