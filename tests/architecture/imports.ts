// Imports of a file in all forms: `import`, `import type`, `export … from`, `import('…')`, `import('…').Type`,
// `require('…')`.

import { posix } from 'node:path';

import type { Node } from 'oxc-parser';
import { parseSync, visitorKeys } from 'oxc-parser';

import type { Room } from './rooms.ts';
import type { Tree } from './tree.ts';
import { isSource } from './tree.ts';

/** One import statement or expression. */
export interface Import {
  /** Path of the file that contains the import, relative to the root. */
  readonly from: string;
  /** Name of the imported file or package, as written between the quotes. */
  readonly specifier: string;
  /** True for `export * from '…'` and `export * as name from '…'`. */
  readonly star: boolean;
}

/**
 * Returns all imports in all source files of a tree, type imports included.
 * @throws Error for a file that does not parse.
 */
export function importsOf(tree: Tree): readonly Import[] {
  let imports = IMPORTS.get(tree);
  if (imports === undefined) {
    imports = [...tree].filter(([path]) => isSource(path)).flatMap(([path, text]) => importsIn(path, text));
    IMPORTS.set(tree, imports);
  }
  return imports;
}

/** Cache of `importsOf`, by tree. Most rules need the imports, and parsing the whole tree takes a second. */
const IMPORTS = new WeakMap<Tree, readonly Import[]>();

/**
 * Parses a file and returns its syntax tree.
 * @throws Error if the file does not parse.
 */
export function parseFile(path: string, text: string): Node {
  const { program, errors } = parseSync(path, text);
  const error = errors[0];
  if (error !== undefined) throw new Error(`${path} does not parse: ${error.message}`);
  return program;
}

function importsIn(path: string, text: string): readonly Import[] {
  const found: Import[] = [];
  walk(parseFile(path, text), (node) => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) found.push({ from: path, specifier, star: node.type === 'ExportAllDeclaration' });
  });
  return found;
}

function specifierOf(node: Node): string | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return literalOf(node.source);
    case 'CallExpression':
      return isRequire(node.callee) ? literalOf(node.arguments[0]) : undefined;
    default:
      return undefined;
  }
}

/**
 * Checks if the called function is `require` or `require.resolve`. The argument of `require.resolve` also counts as an
 * import, because it names a file that is run as a program.
 */
function isRequire(callee: Node): boolean {
  if (callee.type !== 'MemberExpression') return callee.type === 'Identifier' && callee.name === 'require';
  return isRequire(callee.object) && callee.property.type === 'Identifier' && callee.property.name === 'resolve';
}

function literalOf(node: Node | null | undefined): string | undefined {
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

/** Visits a node and all nodes below it, parents first. The second argument of `visit` is the parent of the node. */
export function walk(node: Node, visit: (node: Node, parent: Node | undefined) => void, parent?: Node): void {
  visit(node, parent);
  const children: Readonly<Record<string, unknown>> = { ...node };
  for (const key of visitorKeys[node.type] ?? []) {
    const child = children[key];
    for (const each of Array.isArray(child) ? child : [child]) if (isNode(each)) walk(each, visit, node);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/**
 * Returns the path of the file that a relative import names, relative to the root. Returns `undefined` for an import of
 * a package.
 */
export function fileNamed(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(from), specifier)) : undefined;
}

/**
 * Returns the name of the imported package without a subpath: `@tidemark/log` for `@tidemark/log/contract`. Returns
 * `undefined` for a relative path or a specifier that begins with `node:`.
 */
export function packageNamed(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/**
 * Returns the package of this repository that an import names, by path or by package name. Returns `undefined` for any
 * other import.
 */
export function roomNamed({ from, specifier }: Import, rooms: readonly Room[]): Room | undefined {
  const file = fileNamed(from, specifier);
  if (file !== undefined) return rooms.find((room) => file.startsWith(`${room.folder}/`));
  return rooms.find((room) => room.name === packageNamed(specifier));
}
