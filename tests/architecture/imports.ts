// Every way in which a file names another: `import`, `import type`, `export … from`, `import('…')`, `import('…').Type`.

import { posix } from 'node:path';

import type { Node } from 'oxc-parser';
import { parseSync, visitorKeys } from 'oxc-parser';

import type { Room } from './rooms.ts';
import type { Tree } from './tree.ts';
import { isSource } from './tree.ts';

/** One import statement, or what amounts to one. */
export interface Import {
  /** The file it stands in. */
  readonly from: string;
  /** What it says between the quotes. */
  readonly specifier: string;
  /** `export * from`, with or without a name. */
  readonly star: boolean;
}

/** All imports of all sources of a tree, types included. @throws Error for a file that does not parse. */
export function importsOf(tree: Tree): readonly Import[] {
  return [...tree].filter(([path]) => isSource(path)).flatMap(([path, text]) => importsIn(path, text));
}

/** The syntax tree of a file. @throws Error when it does not parse. */
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

/** `require`, and `require.resolve` of what is run as a program. */
function isRequire(callee: Node): boolean {
  if (callee.type !== 'MemberExpression') return callee.type === 'Identifier' && callee.name === 'require';
  return isRequire(callee.object) && callee.property.type === 'Identifier' && callee.property.name === 'resolve';
}

function literalOf(node: Node | null | undefined): string | undefined {
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

/** Visits every node below, parents first; the second argument is the node above it. */
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

/** The file that a relative import names; `undefined` for a package. */
export function fileNamed(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(from), specifier)) : undefined;
}

/** The package that an import names, without a subpath: `@tidemark/log` of `@tidemark/log/contract`. */
export function packageNamed(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The room that an import leads to, by path or by package name; `undefined` for what is not ours. */
export function roomNamed({ from, specifier }: Import, rooms: readonly Room[]): Room | undefined {
  const file = fileNamed(from, specifier);
  if (file !== undefined) return rooms.find((room) => file.startsWith(`${room.folder}/`));
  return rooms.find((room) => room.name === packageNamed(specifier));
}
