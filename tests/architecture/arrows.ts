// Rules for imports: they follow the table of allowed imports, contain no cycle, and enter a package only through its
// exported entries.

import { posix } from 'node:path';

import type { Import } from './imports.ts';
import { fileNamed, importsOf, packageNamed, roomNamed } from './imports.ts';
import type { Room } from './rooms.ts';
import { ARROWS, GROUND_FLOOR, roomOf, roomsOf } from './rooms.ts';
import type { Tree, Violation } from './tree.ts';
import { isSource, isTest } from './tree.ts';

/**
 * Returns the imports that the table of allowed imports does not contain. Tests may also import the packages listed in
 * `TWINS`.
 */
export function upwardArrows(tree: Tree): readonly Violation[] {
  const rooms = roomsOf(tree);
  return importsOf(tree).flatMap((each) => {
    const own = roomOf(each.from, rooms);
    const other = roomNamed(each, rooms);
    if (own === undefined || other === undefined || own.folder === other.folder) return [];
    if (mayImport(own, other, each.from)) return [];
    return [{ file: each.from, problem: `${own.folder} may not import ${other.folder}` }];
  });
}

function mayImport(own: Room, other: Room, from: string): boolean {
  const allowed = ARROWS[own.folder] ?? [];
  if (allowed === '*' || other.folder === GROUND_FLOOR || allowed.includes(other.folder)) return true;
  return isTest(from) && TWINS[own.folder]?.includes(other.folder) === true;
}

/**
 * Packages that only the tests of a package may import, by package folder. They are test doubles, or packages that call
 * the package under test.
 */
const TWINS: Readonly<Record<string, readonly string[]>> = {
  'packages/worker': [
    'packages/agent',
    'packages/analytics',
    'packages/kit',
    'packages/simulator',
    'providers/anthropic',
    'stores/objects',
  ],
  'packages/context': ['stores/memory', 'providers/scripted', 'providers/anthropic'],
  'packages/agent': [
    'stores/memory',
    'stores/ndjson',
    'providers/scripted',
    'providers/anthropic',
    'providers/openai',
    'packages/simulator',
  ],
  'providers/anthropic': ['packages/simulator'],
  'providers/openai': ['packages/simulator'],
  'tools/workspace': ['stores/memory', 'providers/scripted'],
  'packages/kit': ['packages/simulator', 'providers/scripted'],
  'packages/recording': ['stores/memory', 'stores/ndjson'],
  'packages/stores': ['stores/memory'],
  'packages/analytics': ['stores/memory'],
  'stores/objects': ['stores/memory'],
  'packages/server': [
    'packages/model',
    'packages/kit',
    'packages/simulator',
    'stores/memory',
    'stores/ndjson',
    'providers/anthropic',
    'providers/scripted',
  ],
  'packages/inspector': ['packages/client', 'packages/kit', 'providers/scripted'],
  'packages/client': ['packages/analytics', 'packages/server', 'packages/kit', 'providers/scripted'],
  'tools/skills': ['packages/log'],
};

/**
 * Returns the places where the simulator imports `packages/context` or a provider. The simulator checks that code. With
 * such an import, its check would no longer be independent.
 */
export function simulatorDebts(tree: Tree): readonly Violation[] {
  const rooms = roomsOf(tree);
  return importsOf(tree).flatMap((each) => {
    const other = roomNamed(each, rooms)?.folder ?? '';
    if (!each.from.startsWith('packages/simulator/') || !/^(packages\/context|providers\/.*)$/.test(other)) return [];
    return [{ file: each.from, problem: `the simulator imports ${other}` }];
  });
}

/**
 * Returns the import cycles between packages. Imports in tests are ignored, because a test may import a package that
 * depends on the tested one.
 */
export function circlesOfRooms(tree: Tree): readonly Violation[] {
  const rooms = roomsOf(tree);
  const edges = new Map<string, Set<string>>(rooms.map((room) => [room.folder, new Set()]));
  for (const each of importsOf(tree)) {
    const own = roomOf(each.from, rooms);
    const other = roomNamed(each, rooms);
    if (own !== undefined && other !== undefined && own !== other && !isTest(each.from))
      edges.get(own.folder)?.add(other.folder);
  }
  return circlesIn(edges);
}

/** Returns the cycles of files that import each other by relative paths. Type imports count. */
export function circlesOfFiles(tree: Tree): readonly Violation[] {
  const edges = new Map<string, Set<string>>([...tree.keys()].filter(isSource).map((path) => [path, new Set()]));
  for (const { from, specifier } of importsOf(tree)) {
    const file = fileNamed(from, specifier);
    if (file !== undefined && edges.has(file)) edges.get(from)?.add(file);
  }
  return circlesIn(edges);
}

/** Returns the import cycles between folders of one package. Tests are ignored. */
export function circlesOfFolders(tree: Tree): readonly Violation[] {
  const edges = new Map<string, Map<string, Set<string>>>();
  for (const { from, specifier } of importsOf(tree)) {
    const [own, other] = [folderOf(from), folderOf(fileNamed(from, specifier) ?? '')];
    if (own === undefined || other?.room !== own.room || own.folder === other.folder || isTest(from)) continue;
    const room = edges.get(own.room) ?? new Map<string, Set<string>>();
    edges.set(own.room, room.set(own.folder, (room.get(own.folder) ?? new Set()).add(other.folder)));
  }
  return [...edges.values()].flatMap(circlesIn);
}

/**
 * Returns the package of a file and its folder below `src`, or `undefined` for `src/index.ts` and for a file outside
 * `src`. A file directly in `src` counts as a separate folder.
 */
function folderOf(file: string): { readonly room: string; readonly folder: string } | undefined {
  const { room, path = '' } = /^(?<room>.+?)\/src\/(?<path>.+)$/.exec(file)?.groups ?? {};
  if (room === undefined || path === 'index.ts') return undefined;
  return { room, folder: path.includes('/') ? `${room}/src/${posix.dirname(path)}` : file };
}

type Edges = ReadonlyMap<string, ReadonlySet<string>>;

function circlesIn(edges: Edges): readonly Violation[] {
  const found: Violation[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): void => {
    const start = path.indexOf(node);
    if (start !== -1) found.push({ file: node, problem: `circle: ${[...path.slice(start), node].join(' → ')}` });
    if (start !== -1 || done.has(node)) return;
    path.push(node);
    for (const next of edges.get(node) ?? []) visit(next);
    path.pop();
    done.add(node);
  };
  for (const node of edges.keys()) visit(node);
  return found;
}

/**
 * Returns the relative imports that lead out of their package, and the imports of package entries that the manifest of
 * the imported package does not export.
 */
export function deepImports(tree: Tree): readonly Violation[] {
  const rooms = roomsOf(tree);
  return importsOf(tree).flatMap((each) => {
    const other = roomNamed(each, rooms);
    const file = fileNamed(each.from, each.specifier);
    if (file !== undefined) return leavesRoom(each.from, file, rooms) ? [deep(each)] : [];
    if (other === undefined || exportsOf(tree, other).includes(subpathOf(each.specifier))) return [];
    return [deep(each)];
  });
}

function deep({ from, specifier }: Import): Violation {
  return { file: from, problem: `${specifier} is no face: import the package by its name` };
}

function leavesRoom(from: string, file: string, rooms: readonly Room[]): boolean {
  const own = roomOf(from, rooms);
  return own !== undefined && !file.startsWith(`${own.folder}/`);
}

function subpathOf(specifier: string): string {
  const name = packageNamed(specifier) ?? '';
  return `.${specifier.slice(name.length)}`;
}

function exportsOf(tree: Tree, room: Room): readonly string[] {
  const manifest: unknown = JSON.parse(tree.get(`${room.folder}/package.json`) ?? '{}');
  const exported =
    typeof manifest === 'object' && manifest !== null && 'exports' in manifest ? manifest.exports : undefined;
  return typeof exported === 'object' && exported !== null ? Object.keys(exported) : [];
}

/**
 * Returns the files that import the `index.ts` of their own package, by path or by name. Tests and contract suites are
 * exempt.
 */
export function ownFaces(tree: Tree): readonly Violation[] {
  const rooms = roomsOf(tree);
  return importsOf(tree).flatMap((each) => {
    const own = roomOf(each.from, rooms);
    if (own === undefined) return [];
    const byPath = fileNamed(each.from, each.specifier) === `${own.folder}/src/index.ts`;
    const byName = each.specifier === own.name;
    if (!(byPath || byName) || isTest(each.from)) return [];
    return [{ file: each.from, problem: `imports the face of its own room (${each.specifier})` }];
  });
}

/** Returns every file named `index` except `src/index.ts` of each package, and every `export *`. */
export function looseFaces(tree: Tree): readonly Violation[] {
  const rooms = roomsOf(tree);
  const second = [...tree.keys()].filter((path) => {
    const own = roomOf(path, rooms);
    return own !== undefined && /(^|\/)index\.[cm]?[jt]s$/.test(path) && path !== `${own.folder}/src/index.ts`;
  });
  const stars = importsOf(tree).filter((each) => each.star);
  return [
    ...second.map((file) => ({ file, problem: 'a second index: one face per package' })),
    ...stars.map(({ from, specifier }) => ({
      file: from,
      problem: `export * from ${specifier}: a face names each export`,
    })),
  ];
}
