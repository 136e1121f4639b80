// Purity: source files of a pure package must not use Node, a clock, randomness, the console or the network.

import type { Node } from 'oxc-parser';

import { importsOf, parseFile, walk } from './imports.ts';
import { PURE } from './rooms.ts';
import type { Tree, Violation } from './tree.ts';
import { isSource, isTest } from './tree.ts';

const FORBIDDEN = new Set([
  'Date',
  'Buffer',
  'console',
  'crypto',
  'fetch',
  'global',
  'globalThis',
  'performance',
  'process',
  'queueMicrotask',
  'require',
  'setImmediate',
  'setInterval',
  'setTimeout',
  'window',
  'Temporal',
]);

/**
 * Returns the imports of Node modules in the source files of the pure packages, and each use there of a clock, of
 * randomness or of a global object such as `process`.
 */
export function impurities(tree: Tree): readonly Violation[] {
  const pure = new Map([...tree].filter(([path]) => isPure(path)));
  return [...nodeImports(pure), ...[...pure].flatMap(([path, text]) => usesIn(path, text))];
}

function isPure(path: string): boolean {
  return isSource(path) && !isTest(path) && PURE.some((folder) => path.startsWith(`${folder}/src/`));
}

function nodeImports(tree: Tree): readonly Violation[] {
  return importsOf(tree)
    .filter(({ specifier }) => specifier.startsWith('node:') || NODE_BARE.has(specifier))
    .map(({ from, specifier }) => ({ file: from, problem: `a pure room imports ${specifier}` }));
}

const NODE_BARE = new Set([
  'assert',
  'buffer',
  'child_process',
  'crypto',
  'events',
  'fs',
  'fs/promises',
  'os',
  'path',
  'perf_hooks',
  'process',
  'stream',
  'timers',
  'url',
  'util',
  'worker_threads',
  'zlib',
]);

function usesIn(path: string, text: string): readonly Violation[] {
  const found: Violation[] = [];
  walk(parseFile(path, text), (node, parent) => {
    const name = reached(node, parent);
    if (name !== undefined) found.push({ file: path, problem: `a pure room reaches ${name}` });
  });
  return found;
}

function reached(node: Node, parent: Node | undefined): string | undefined {
  if (node.type === 'MemberExpression') return isRandom(node) ? 'Math.random' : undefined;
  if (node.type !== 'Identifier' || !FORBIDDEN.has(node.name) || isOnlyAName(node, parent)) return undefined;
  return node.name;
}

function isRandom(node: Extract<Node, { type: 'MemberExpression' }>): boolean {
  const { object, property } = node;
  if (object.type !== 'Identifier' || object.name !== 'Math') return false;
  return property.type === 'Identifier' ? property.name === 'random' || node.computed : property.type === 'Literal';
}

/**
 * Checks if an identifier is only the name of a field, as in `x.process` or `{ process: 1 }`. It then does not refer to
 * the global object of that name.
 */
function isOnlyAName(node: Node, parent: Node | undefined): boolean {
  switch (parent?.type) {
    case 'MemberExpression':
      return parent.property === node && !parent.computed;
    case 'Property':
      return parent.key === node && !parent.computed && !parent.shorthand;
    case 'PropertyDefinition':
    case 'MethodDefinition':
    case 'TSPropertySignature':
    case 'TSMethodSignature':
      return parent.key === node && !parent.computed;
    default:
      return false;
  }
}

/**
 * Returns the pure packages whose compiler settings allow the global names of Node or of a browser: `types` must be
 * empty, and `lib` must not contain the DOM.
 */
export function looseCompilers(tree: Tree): readonly Violation[] {
  return PURE.flatMap((folder) => {
    const file = `${folder}/tsconfig.json`;
    const { types, lib } = effective(tree, file);
    const problems = [
      types?.length === 0 ? undefined : 'compiles with "types" other than []',
      lib !== undefined && !lib.some((each) => /^dom/i.test(each)) ? undefined : 'compiles with a lib that has the DOM',
    ];
    return problems.flatMap((problem) => (problem === undefined ? [] : [{ file, problem }]));
  });
}

interface Settings {
  readonly types: readonly string[] | undefined;
  readonly lib: readonly string[] | undefined;
}

/**
 * Returns the settings `types` and `lib` of a `tsconfig.json`. A setting that the file does not contain is read from
 * `tsconfig.base.json`.
 */
function effective(tree: Tree, file: string): Settings {
  const own = settingsIn(tree.get(file) ?? '{}');
  const base = settingsIn(tree.get('tsconfig.base.json') ?? '{}');
  return { types: own.types ?? base.types, lib: own.lib ?? base.lib };
}

function settingsIn(text: string): Settings {
  const config: unknown = JSON.parse(text);
  const options =
    typeof config === 'object' && config !== null && 'compilerOptions' in config ? config.compilerOptions : undefined;
  const list = (name: string): readonly string[] | undefined => {
    const value: unknown = typeof options === 'object' && options !== null ? Reflect.get(options, name) : undefined;
    return Array.isArray(value) ? value.map(String) : undefined;
  };
  return { types: list('types'), lib: list('lib') };
}
