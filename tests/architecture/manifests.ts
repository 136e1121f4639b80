// A manifest says exactly what its room imports: nothing missing, nothing left over. `dependencies` are for products,
// `devDependencies` for tests beside them; the rooms of tests and benchmarks are products of their own.

import { importsOf, packageNamed } from './imports.ts';
import type { Room } from './rooms.ts';
import { roomOf, roomsOf } from './rooms.ts';
import type { Tree, Violation } from './tree.ts';
import { isTest } from './tree.ts';

/** Tools that the root brings for the tests of every room. */
const BROUGHT_BY_THE_ROOT = new Set(['vitest', 'fast-check', 'typescript']);

/** Bare names of Node's modules, in the few files of plain JavaScript. */
const BUILT_IN = new Set(['child_process', 'crypto', 'fs', 'module', 'os', 'path']);

interface Use {
  readonly file: string;
  readonly room: Room;
  readonly name: string;
  /** Whether a test beside the product is all that this is. */
  readonly testing: boolean;
}

/** Every import of a package that is not the room itself. */
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

/** Packages that are imported but not declared. Tests may use the root's tools and every workspace. */
export function undeclared(tree: Tree): readonly Violation[] {
  const names = new Set(roomsOf(tree).map((room) => room.name));
  return usesIn(tree).flatMap(({ file, room, name, testing }) => {
    if (declaredIn(tree, room, 'dependencies').has(name)) return [];
    if (isTest(file) && BROUGHT_BY_THE_ROOT.has(name)) return [];
    if (testing && (names.has(name) || declaredIn(tree, room, 'devDependencies').has(name))) return [];
    return [{ file, problem: `imports ${name}, which ${room.folder}/package.json does not declare` }];
  });
}

/** Dependencies that nothing of the room imports, or its tests alone. */
export function unused(tree: Tree): readonly Violation[] {
  const uses = usesIn(tree);
  return roomsOf(tree).flatMap((room) => {
    const own = uses.filter((use) => use.room.folder === room.folder);
    const products = new Set(own.filter((use) => !use.testing).map((use) => use.name));
    const all = new Set(own.map((use) => use.name));
    const idle = [...declaredIn(tree, room, 'dependencies')].filter((name) => !products.has(name));
    const idleInTests = [...declaredIn(tree, room, 'devDependencies')].filter((name) => !all.has(name));
    return [...idle, ...idleInTests].map((name) => ({
      file: `${room.folder}/package.json`,
      problem: `declares ${name}, which nothing here imports${all.has(name) ? ' but tests' : ''}`,
    }));
  });
}

function declaredIn(tree: Tree, room: Room, field: 'dependencies' | 'devDependencies'): ReadonlySet<string> {
  const manifest: unknown = JSON.parse(tree.get(`${room.folder}/package.json`) ?? '{}');
  const declared: unknown =
    typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, field) : undefined;
  return new Set(typeof declared === 'object' && declared !== null ? Object.keys(declared) : []);
}
