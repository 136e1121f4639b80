// Reads the titles of a test file from its syntax tree. Strings and comments that only look like titles do not count.

import type { Node } from 'oxc-parser';
import { parseSync, visitorKeys } from 'oxc-parser';

/** Separates the title of a `describe` from the title of a test in it. */
export const IN = ' > ';

/**
 * Returns the full title of each test of a file, as written in the source. A template keeps its `${…}`, a table test
 * its `%s`. A test is a call of `it` or `test` with a body that is not empty: a function, or a call that gets a
 * function, such as
 * `hold((played) => …)`. Tests that never run (`skip`, `todo`) do not count.
 *
 * @throws Error for a file that does not parse.
 */
export function readTestTitles(path: string, source: string): readonly string[] {
  const { program, errors } = parseSync(path, source);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path} does not parse: ${error.message}`);
  const titles: string[] = [];
  visit(program, [], { source, titles });
  return titles;
}

interface Reading {
  readonly source: string;
  readonly titles: string[];
}

function visit(node: Node, above: readonly string[], reading: Reading): void {
  const block = blockOf(node, reading.source);
  if (block === undefined) return visitChildren(node, above, reading);
  if (!block.runs) return;
  const path = [...above, block.title];
  if (block.is !== 'describe') reading.titles.push(path.join(IN));
  else if (block.body !== undefined) visitChildren(block.body, path, reading);
}

function visitChildren(node: Node, above: readonly string[], reading: Reading): void {
  for (const key of visitorKeys[node.type] ?? []) {
    const value: unknown = Reflect.get(node, key);
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, above, reading);
  }
}

interface Block {
  readonly is: string;
  readonly title: string;
  readonly body: Node | undefined;
  /** False for `skip`, `todo`, and a test without a body. */
  readonly runs: boolean;
}

const BLOCKS: readonly string[] = ['it', 'test', 'describe'];
const NEVER_RUN: readonly string[] = ['skip', 'todo'];

function blockOf(node: Node, source: string): Block | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const [is, ...modifiers] = namesIn(node.callee);
  const title = is !== undefined && BLOCKS.includes(is) ? titleOf(node.arguments[0], source) : undefined;
  if (is === undefined || title === undefined) return undefined;
  const body = bodyIn(node.arguments);
  const runs = !modifiers.some((name) => NEVER_RUN.includes(name)) && (is === 'describe' || hasWork(body));
  return { is, title, body, runs };
}

/**
 * Returns the names in a callee: `it` and `each` for `it.each(rows)`. Returns no names for a callee that does not begin
 * with a name.
 */
function namesIn(callee: Node): readonly string[] {
  if (callee.type === 'Identifier') return [callee.name];
  if (callee.type === 'CallExpression') return namesIn(callee.callee);
  if (callee.type === 'TaggedTemplateExpression') return namesIn(callee.tag);
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return [];
  const before = namesIn(callee.object);
  return before.length === 0 ? [] : [...before, callee.property.name];
}

/**
 * Returns the text of a string or a template. Returns `undefined` for another argument, such as the rows of
 * `it.each(rows)`.
 */
function titleOf(argument: Node | undefined, source: string): string | undefined {
  if (argument?.type === 'Literal') return typeof argument.value === 'string' ? argument.value : undefined;
  return argument?.type === 'TemplateLiteral' ? source.slice(argument.start + 1, argument.end - 1) : undefined;
}

/**
 * Returns the first argument that is a function. Otherwise, if the last argument is a call, returns the first function
 * among the arguments of this call.
 */
function bodyIn(values: readonly Node[]): Node | undefined {
  const own = values.find(isFunction);
  const last = values.at(-1);
  return own ?? (last?.type === 'CallExpression' ? last.arguments.find(isFunction) : undefined);
}

function isFunction(node: Node): boolean {
  return node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression';
}

function hasWork(body: Node | undefined): boolean {
  if (body === undefined || !('body' in body) || !isNode(body.body)) return false;
  return body.body.type !== 'BlockStatement' || body.body.body.length > 0;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}
