// The rooms of the house and the arrows that are allowed between them: the arch of the design, as a table.

import type { Tree } from './tree.ts';

/** A room: a workspace of the tree. */
export interface Room {
  /** Its folder: `packages/log`. */
  readonly folder: string;
  /** Its package name: `@tidemark/log`. */
  readonly name: string;
}

/** The ground floor: every room may import it, and it imports no room. */
export const GROUND_FLOOR = 'packages/core';

/** Which rooms a room may import besides the ground floor, by folder. A room that is not here may import nothing else; `'*'` is any. */
export const ARROWS: Readonly<Record<string, readonly string[] | '*'>> = {
  [GROUND_FLOOR]: [],
  'packages/files': [],
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
  'stores/memory': ['packages/log'],
  'stores/ndjson': ['packages/files', 'packages/log'],
  'providers/scripted': ['packages/model'],
  'providers/wire': ['packages/model'],
  'providers/anthropic': ['packages/model', 'providers/wire'],
  'providers/openai': ['packages/model', 'providers/wire'],
  'tools/workspace': ['packages/files', 'packages/log', 'packages/model', 'packages/agent'],
  'tools/skills': ['packages/model', 'packages/agent'],
  'tools/mcp': ['packages/files', 'packages/log', 'packages/model', 'packages/agent'],
  'tools/images': ['packages/model', 'packages/agent'],
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
    'stores/memory',
    'stores/ndjson',
    'providers/scripted',
    'providers/anthropic',
    'providers/openai',
    'tools/skills',
  ],
  'examples/workbook': ['packages/kit', 'packages/simulator'],
  tests: '*',
  bench: '*',
};

/** The rooms that stay pure: no clock, no randomness, nothing of Node or a browser. */
export const PURE: readonly string[] = [GROUND_FLOOR, 'packages/log', 'packages/model', 'packages/context'];

/** The manifest of a workspace; what lies deeper is no room: a sample project, a fixture. */
const WORKSPACE = /^([^/]+\/)?[^/]+\/package\.json$/;

/** Every room of a tree, by its manifest; the root is none. */
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

/** The room that a file lies in. */
export function roomOf(path: string, rooms: readonly Room[]): Room | undefined {
  return rooms.find((room) => path.startsWith(`${room.folder}/`));
}
