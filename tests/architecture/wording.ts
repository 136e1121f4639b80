// Wording of comments, test titles and Markdown pages: refuses phrases for which the house style has plainer ones.

import type { Node } from 'oxc-parser';
import { parseSync } from 'oxc-parser';

import { walk } from './imports.ts';
import type { Tree, Violation } from './tree.ts';
import { isSource } from './tree.ts';

const REFUSED: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bsee the head\b/i, 'repeat the fact here'],
  [/\bunless said\b/i, '"Default: …"'],
  [/\bwhoever\b/i, '"any caller", or name the one'],
  [/\bnobody\b/i, '"no one", or name who is missing'],
  [/\banew\b/i, '"again"'],
  [/\bbeside\b/i, '"next to", "with" or "in addition to"'],
  [/\bbehind (?:the|it|its|that|this|each|every|their|them)\b/i, '"after"'],
  [/(?<!\bthere )\b(?:is|are) none\b/i, '"there is no …", or "is missing"'],
  [/\bat all the same\b|\bsays? nothing of\b|\bgoes? on with\b/i, 'the usual words'],
  [/\b(?:is|are|was|were) said\b/i, '"is reported", "is recorded" or "is printed"'],
];

/**
 * Folders of sample projects and skills that agents in tests and in the demo work on. Their texts are not checked,
 * because they imitate other people's projects.
 */
const SAMPLES: readonly string[] = ['apps/cli/demo/project/', 'tools/skills/tests/skills/'];

/** Beginnings of a comment that make a reader wait for its subject. */
const OPENINGS = /^(?:What|Who|Whom|Whose|Whether|Of these|Of those|That which|Those that)\b/;

interface Prose {
  readonly text: string;
  readonly line: number;
  readonly comment: boolean;
}

/** Returns each refused phrase in a comment, a test title or a Markdown page. Code in backticks is not checked. */
export function refusedPhrases(tree: Tree): readonly Violation[] {
  return [...tree].flatMap(([file, text]) => {
    if (SAMPLES.some((folder) => file.startsWith(folder))) return [];
    const prose = isSource(file) ? proseOfSource(file, text) : file.endsWith('.md') ? proseOfPage(text) : [];
    return prose.flatMap((one) => problemsOf(file, one));
  });
}

function problemsOf(file: string, { text, line, comment }: Prose): readonly Violation[] {
  const plain = text
    .replaceAll(/`[^`]*`/g, '`')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const phrases = REFUSED.flatMap(([phrase, instead]) => {
    const found = phrase.exec(plain)?.[0];
    return found === undefined ? [] : [`line ${line}: "${found}": write ${instead}`];
  });
  const opening = comment ? OPENINGS.exec(plain)?.[0] : undefined;
  const problems =
    opening === undefined ? phrases : [...phrases, `line ${line}: opens with "${opening}": begin with the subject`];
  return problems.map((problem) => ({ file, problem }));
}

function proseOfSource(file: string, text: string): readonly Prose[] {
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
  walk(program, (node) => {
    const title = titleOf(node);
    if (title !== undefined) found.push({ text: title, line: lineOf(node.start), comment: false });
  });
  return found;
}

const TITLED: ReadonlySet<string> = new Set(['test', 'it', 'describe']);

function titleOf(node: Node): string | undefined {
  if (node.type !== 'CallExpression' || node.arguments.length < 2 || !TITLED.has(calledName(node.callee)))
    return undefined;
  const [title] = node.arguments;
  if (title?.type === 'Literal' && typeof title.value === 'string') return title.value;
  return title?.type === 'TemplateLiteral' ? title.quasis.map(({ value }) => value.raw).join('`') : undefined;
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

function proseOfPage(page: string): readonly Prose[] {
  let isCode = false;
  return page.split('\n').flatMap((text, index): readonly Prose[] => {
    if (/^\s*(```|~~~)/.test(text)) isCode = !isCode;
    return isCode ? [] : [{ text, line: index + 1, comment: false }];
  });
}
