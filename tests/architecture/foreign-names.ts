// Look-ups by a name that is known only at run time. An object inherits names such as `constructor`, `toString` and
// `__proto__`. A look-up by one of these names returns a value that the object itself does not have, and an assignment
// to `__proto__` sets no field.

import type { Node, SourceFile } from 'typescript/unstable/ast';
import { SyntaxKind } from 'typescript/unstable/ast';
import {
  isBinaryExpression,
  isBindingElement,
  isCallExpression,
  isComputedPropertyName,
  isElementAccessExpression,
  isFunctionLikeDeclaration,
} from 'typescript/unstable/ast/is';
import type { Project, Type } from 'typescript/unstable/sync';
import { API, TypeFlags } from 'typescript/unstable/sync';

import type { Violation } from './tree.ts';
import { isTest } from './tree.ts';

/**
 * Expression that reads a field of an object or checks for it: `object[key]`, `key in object`, `Reflect.get(object,
 * key)`, `{ [key]: value } = object`.
 */
interface Lookup {
  readonly node: Node;
  /** Expression for the object in which the key is looked up. Undefined in a binding pattern. */
  readonly object: Node | undefined;
  readonly key: Node;
}

/**
 * Returns each unsafe look-up in the source files of these projects, tests excluded. `projects` are paths of
 * `tsconfig.json` files. A look-up is unsafe if its key can be any string, with two exceptions. The same function calls
 * `Object.hasOwn` with the same object and key. Or the key comes from the same object by `for … in`, because the
 * inherited names of an object literal are not enumerable.
 */
export function foreignLookups(root: string, projects: readonly string[]): readonly Violation[] {
  const api = new API({ cwd: root });
  try {
    const read = new Set<string>();
    return projects.flatMap((path) => lookupsOf(api, path, { root, read }));
  } finally {
    api.close();
  }
}

interface Reading {
  readonly root: string;
  /**
   * Files that were already read for an earlier project. Each file is read once, even if several projects contain it.
   */
  readonly read: Set<string>;
}

function lookupsOf(api: API, path: string, { root, read }: Reading): readonly Violation[] {
  const snapshot = api.updateSnapshot({ openProjects: [path] });
  const project = snapshot.getProject(path);
  if (project === undefined) throw new Error(`${path} is no project`);
  const names = project.program.getSourceFileNames().filter((name) => !read.has(name) && isOurs(name, root));
  for (const name of names) read.add(name);
  const found = names.flatMap((name) => lookupsIn(project, name, root));
  snapshot.dispose();
  return found;
}

function isOurs(name: string, root: string): boolean {
  if (!name.startsWith(`${root}/`) || /\/(node_modules|dist)\/|\.d\.ts$/.test(name)) return false;
  return !isTest(name.slice(root.length + 1));
}

function lookupsIn(project: Project, name: string, root: string): readonly Violation[] {
  const source = project.program.getSourceFile(name);
  if (source === undefined) throw new Error(`${name} cannot be read`);
  const all: Lookup[] = [];
  const visit = (node: Node): void => {
    const lookup = lookupAt(node, source);
    if (lookup !== undefined) all.push(lookup);
    node.forEachChild(visit);
  };
  visit(source);
  const types = all.length === 0 ? [] : project.checker.getTypeAtLocation(all.map(({ key }) => key));
  return all.flatMap((lookup, index): readonly Violation[] => {
    if (!isForeign(types[index], project) || isGuarded(lookup, source)) return [];
    return [{ file: name.slice(root.length + 1), problem: lookup.node.getText(source).replaceAll(/\s+/g, ' ') }];
  });
}

function lookupAt(node: Node, source: SourceFile): Lookup | undefined {
  if (isElementAccessExpression(node)) return { node, object: node.expression, key: node.argumentExpression };
  if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword)
    return { node, object: node.right, key: node.left };
  if (isBindingElement(node) && node.propertyName !== undefined && isComputedPropertyName(node.propertyName)) {
    // A variable whose name begins with `_` is never read. It only keeps the field out of the rest object.
    if (node.name?.getText(source).startsWith('_') === true) return undefined;
    return { node, object: undefined, key: node.propertyName.expression };
  }
  if (!isCallExpression(node) || !/^Reflect\.(get|set|has)$/.test(node.expression.getText(source))) return undefined;
  const [object, key] = node.arguments;
  return object === undefined || key === undefined ? undefined : { node, object, key };
}

const TEXT = TypeFlags.String | TypeFlags.TemplateLiteral | TypeFlags.StringMapping | TypeFlags.AnyOrUnknown;

/**
 * Checks if a key of this type can have a value that is not written in the code. Literal strings, numbers and symbols
 * are written in the code.
 */
function isForeign(type: Type | undefined, project: Project): boolean {
  if (type === undefined || (type.flags & TEXT) !== 0) return true;
  if (type.isUnionType()) return type.getTypes().some((one) => isForeign(one, project));
  if (type.isIntersectionType()) return type.getTypes().some(({ flags }) => (flags & TEXT) !== 0);
  // A type derived from `keyof` of a type parameter contains only field names that are written in the code.
  if ((type.flags & TypeFlags.Instantiable) === 0 || (type.flags & (TypeFlags.Index | TypeFlags.Conditional)) !== 0)
    return false;
  const constraint = project.checker.getBaseConstraintOfType(type);
  return constraint === undefined || constraint === type || isForeign(constraint, project);
}

function isGuarded({ node, object, key }: Lookup, source: SourceFile): boolean {
  if (object === undefined) return false;
  const [named, by] = [object.getText(source), key.getText(source)];
  let around: Node | undefined = node.parent;
  while (around !== undefined && !isFunctionLikeDeclaration(around)) around = around.parent;
  const text = (around ?? source).getText(source);
  return text.includes(`Object.hasOwn(${named}, ${by})`) || text.includes(`for (const ${by} in ${named})`);
}
