// Packages of the repository (`Room` in the code), and a table of the imports allowed between them.

import type { Tree } from './tree.ts';

/** A package of the repository: an npm workspace. */
export interface Room {
  /** Folder of the package, for example `packages/log`. */
  readonly folder: string;
  /** Name of the package, for example `@tidemark/log`. */
  readonly name: string;
}

/** Folder of the base package. Every package may import it, and it imports no other package. */
export const GROUND_FLOOR = 'packages/core';

/**
 * Allowed imports: for the folder of a package, the folders of the packages that it may import in addition to the base
 * package. `'*'` allows all packages. A package that is not listed may import only the base package.
 */
export const ARROWS: Readonly<Record<string, readonly string[] | '*'>> = {
  [GROUND_FLOOR]: [],
  'packages/files': [],
  'packages/pdf': [],
  'packages/log': [],
  'packages/model': [],
  'packages/context': ['packages/log', 'packages/model'],
  'packages/agent': ['packages/log', 'packages/model', 'packages/context'],
  'packages/settings': ['packages/files', 'packages/log', 'packages/agent'],
  'packages/http-server': [],
  'packages/simulator': ['packages/http-server', 'packages/model'],
  'packages/recording': [
    'packages/files',
    'packages/log',
    'packages/model',
    'packages/context',
    'packages/agent',
    'packages/simulator',
    'providers/anthropic',
  ],
  'packages/analytics': [
    'packages/files',
    'packages/log',
    'packages/model',
    'packages/context',
    'packages/agent',
    'packages/recording',
  ],
  'packages/server': [
    'packages/log',
    'packages/context',
    'packages/agent',
    'packages/http-server',
    'packages/analytics',
    'packages/inspector',
  ],
  'packages/worker': ['packages/log', 'packages/server', 'stores/postgres'],
  'packages/inspector': ['packages/log', 'packages/model', 'packages/context', 'packages/agent', 'packages/analytics'],
  'packages/client': ['packages/log', 'packages/agent'],
  'stores/memory': ['packages/files', 'packages/log'],
  'stores/ndjson': ['packages/files', 'packages/log'],
  'stores/objects': ['packages/files', 'packages/log'],
  'stores/postgres': ['packages/files', 'packages/log', 'stores/objects'],
  'packages/stores': ['packages/log', 'stores/ndjson', 'stores/objects', 'stores/postgres'],
  'providers/scripted': ['packages/model'],
  'providers/wire': ['packages/model'],
  'providers/anthropic': ['packages/model', 'providers/wire'],
  'providers/openai': ['packages/model', 'providers/wire'],
  'tools/workspace': ['packages/files', 'packages/pdf', 'packages/log', 'packages/model', 'packages/agent'],
  'tools/skills': ['packages/model', 'packages/agent'],
  'tools/mcp': ['packages/files', 'packages/log', 'packages/model', 'packages/agent'],
  'tools/images': ['packages/model', 'packages/agent'],
  'tools/web': ['packages/log', 'packages/model', 'packages/agent', 'packages/pdf'],
  'packages/kit': [
    'packages/log',
    'packages/model',
    'packages/agent',
    'providers/anthropic',
    'providers/openai',
    'stores/memory',
    'stores/ndjson',
    'tools/workspace',
    'tools/skills',
    'tools/mcp',
    'tools/images',
    'tools/web',
  ],
  'apps/cli': [
    'packages/files',
    'packages/kit',
    'packages/log',
    'packages/model',
    'packages/context',
    'packages/agent',
    'packages/settings',
    'packages/simulator',
    'packages/recording',
    'packages/analytics',
    'packages/client',
    'packages/inspector',
    'packages/server',
    'packages/stores',
    'stores/memory',
    'stores/ndjson',
    'providers/scripted',
    'providers/anthropic',
    'providers/openai',
    'tools/skills',
  ],
  'examples/web-chat': [
    'packages/analytics',
    'packages/kit',
    'packages/server',
    'packages/client',
    'packages/http-server',
    'packages/simulator',
  ],
  'examples/workbook': ['packages/kit', 'packages/simulator'],
  tests: '*',
  bench: '*',
};

/** Folders of the pure packages, which use no clock, no randomness and no part of Node or a browser. */
export const PURE: readonly string[] = [GROUND_FLOOR, 'packages/log', 'packages/model', 'packages/context'];

/**
 * Matches the path of a package's manifest, such as `packages/log/package.json`. A manifest in a deeper folder belongs
 * to a sample project or a fixture.
 */
const WORKSPACE = /^([^/]+\/)?[^/]+\/package\.json$/;

/** Returns every package of a tree that has a manifest with a name. The root is not included. */
export function roomsOf(tree: Tree): readonly Room[] {
  const rooms: Room[] = [];
  for (const [path, text] of tree) {
    if (!WORKSPACE.test(path)) continue;
    const manifest: unknown = JSON.parse(text);
    const name = typeof manifest === 'object' && manifest !== null && 'name' in manifest ? manifest.name : undefined;
    if (typeof name === 'string') rooms.push({ folder: path.slice(0, -'/package.json'.length), name });
  }
  return rooms;
}

/** Returns the package that contains a file, or `undefined` for a file outside all packages. */
export function roomOf(path: string, rooms: readonly Room[]): Room | undefined {
  return rooms.find((room) => path.startsWith(`${room.folder}/`));
}
