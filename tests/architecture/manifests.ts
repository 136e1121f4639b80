// Manifests: a package's manifest declares exactly what the package imports. `dependencies` are for its source files,
// `peerDependencies` for packages that they load only if they are installed, and `devDependencies` for its tests. In `tests` and `bench` every file counts as a source file.

import { importsOf, packageNamed } from './imports.ts';
import type { Room } from './rooms.ts';
import { roomOf, roomsOf } from './rooms.ts';
import type { Tree, Violation } from './tree.ts';
import { isTest } from './tree.ts';

/** Tools in the root's manifest that the tests of every package may use. */
const BROUGHT_BY_THE_ROOT = new Set(['vitest', 'fast-check', 'typescript']);

/** Packages that no file imports, because a package starts another process with them. */
const STARTED = new Set(['unpdf']);

/** Modules of Node that plain JavaScript files import without the prefix `node:`. */
const BUILT_IN = new Set(['child_process', 'crypto', 'fs', 'module', 'os', 'path']);

interface Use {
  readonly file: string;
  readonly room: Room;
  readonly name: string;
  /** True if the import needs an entry in `devDependencies` only, because it is in a test. */
  readonly testing: boolean;
}

function usesIn(tree: Tree): readonly Use[] {
  const rooms = roomsOf(tree);
  return importsOf(tree).flatMap(({ from, specifier }) => {
    const room = roomOf(from, rooms);
    const name = packageNamed(specifier);
    if (room === undefined || name === undefined || name === room.name || BUILT_IN.has(name)) return [];
    const testing = isTest(from) && room.folder !== 'tests' && room.folder !== 'bench';
    return [{ file: from, room, name, testing }];
  });
}

/**
 * Returns the imports of packages that the importing package's manifest does not declare. Tests may import the packages
 * in `BROUGHT_BY_THE_ROOT` and every package of this repository without a declaration.
 */
export function undeclared(tree: Tree): readonly Violation[] {
  const names = new Set(roomsOf(tree).map((room) => room.name));
  return usesIn(tree).flatMap(({ file, room, name, testing }) => {
    if (SOURCES.some((field) => declaredIn(tree, room, field).has(name))) return [];
    if (isTest(file) && BROUGHT_BY_THE_ROOT.has(name)) return [];
    if (testing && (names.has(name) || declaredIn(tree, room, 'devDependencies').has(name))) return [];
    return [{ file, problem: `imports ${name}, which ${room.folder}/package.json does not declare` }];
  });
}

/**
 * Returns the packages in `dependencies` and `peerDependencies` that only tests or no files import, and the packages in `devDependencies` that
 * no file imports.
 */
export function unused(tree: Tree): readonly Violation[] {
  const uses = usesIn(tree);
  return roomsOf(tree).flatMap((room) => {
    const own = uses.filter((use) => use.room.folder === room.folder);
    const products = new Set(own.filter((use) => !use.testing).map((use) => use.name));
    const all = new Set(own.map((use) => use.name));
    const idle = SOURCES.flatMap((field) => [...declaredIn(tree, room, field)]).filter(
      (name) => !products.has(name) && !STARTED.has(name),
    );
    const idleInTests = [...declaredIn(tree, room, 'devDependencies')].filter((name) => !all.has(name));
    return [...idle, ...idleInTests].map((name) => ({
      file: `${room.folder}/package.json`,
      problem: `declares ${name}, which nothing here imports${all.has(name) ? ' but tests' : ''}`,
    }));
  });
}

type Field = 'dependencies' | 'peerDependencies' | 'devDependencies';

/** Fields of a manifest that declare packages for source files. */
const SOURCES: readonly Field[] = ['dependencies', 'peerDependencies'];

function declaredIn(tree: Tree, room: Room, field: Field): ReadonlySet<string> {
  const manifest: unknown = JSON.parse(tree.get(`${room.folder}/package.json`) ?? '{}');
  const declared: unknown =
    typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, field) : undefined;
  return new Set(typeof declared === 'object' && declared !== null ? Object.keys(declared) : []);
}
