// Texts of a file that people read: comments, test titles, and error texts, help texts and other strings of a source
// file, and the lines of a Markdown page.

import type { Node } from 'oxc-parser';
import { parseSync } from 'oxc-parser';

import { walk } from './imports.ts';
import { isTest } from './tree.ts';

/** One text that people read, with the line where it begins. */
export interface Prose {
  readonly text: string;
  readonly line: number;
  readonly comment: boolean;
}

/**
 * Returns the comments, the test titles and the strings of a source file. Strings of fewer than three words are omitted,
 * because most of them are names. In a test, only the strings of errors are returned, because the others are often made
 * up.
 */
export function proseOfSource(file: string, text: string): readonly Prose[] {
  const { program, comments } = parseSync(file, text);
  const lineOf = (at: number): number => text.slice(0, at).split('\n').length;
  const found: Prose[] = [];
  let end = -1;
  for (const { type, value, start, end: after } of comments) {
    const words = type === 'Line' ? value : value.replaceAll(/^[ \t]*\*/gm, '');
    const last = found.at(-1);
    // Line comments that follow each other are one text.
    if (type === 'Line' && last !== undefined && /^\n[ \t]*$/.test(text.slice(end, start))) {
      found[found.length - 1] = { ...last, text: `${last.text}\n${words}` };
    } else found.push({ text: words, line: lineOf(start), comment: true });
    end = after;
  }
  for (const [start, words] of stringsIn(program, isTest(file)))
    found.push({ text: words, line: lineOf(start), comment: false });
  return found;
}

/** Returns the lines of a Markdown page that are not in a fenced block of code. */
export function proseOfPage(page: string): readonly Prose[] {
  let isCode = false;
  return page.split('\n').flatMap((text, index): readonly Prose[] => {
    if (/^\s*(```|~~~)/.test(text)) isCode = !isCode;
    return isCode ? [] : [{ text, line: index + 1, comment: false }];
  });
}

/** Returns the test titles and the strings of a syntax tree, by their offset in the file. */
function stringsIn(program: Node, test: boolean): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const add = (node: Node, least: number): void => {
    const words = wordsOf(node);
    if (words !== undefined && words.trim().split(/\s+/).length >= least) found.set(node.start, words);
  };
  walk(program, (node) => {
    const title = titleOf(node);
    if (title !== undefined) add(title, 1);
    if (!test) add(node, 3);
    else if (node.type === 'NewExpression' && calledName(node.callee).endsWith('Error'))
      for (const each of node.arguments) walk(each, (part) => add(part, 3));
    else if (node.type === 'Property' && node.key.type === 'Identifier' && node.key.name === 'against')
      add(node.value, 3);
  });
  return found;
}

function wordsOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  return node.type === 'TemplateLiteral' ? node.quasis.map(({ value }) => value.raw).join('`') : undefined;
}

const TITLED: ReadonlySet<string> = new Set(['test', 'it', 'describe']);

function titleOf(node: Node): Node | undefined {
  if (node.type !== 'CallExpression' || node.arguments.length < 2) return undefined;
  return TITLED.has(calledName(node.callee)) ? node.arguments[0] : undefined;
}

/**
 * Returns the name of the called function without its modifiers: `test` for `test(…)`, `test.each([…])(…)` and
 * `test.skipIf(…)(…)`.
 */
function calledName(callee: Node): string {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'MemberExpression') return calledName(callee.object);
  return callee.type === 'CallExpression' ? calledName(callee.callee) : '';
}
