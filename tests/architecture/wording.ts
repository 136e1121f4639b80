// Wording of comments, test titles, error texts, help texts and Markdown pages: refuses phrases for which the house
// style has plainer ones.

import type { Prose } from './prose.ts';
import { proseOfPage, proseOfSource } from './prose.ts';
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
  [/\bsaid\b/i, '"wrote", "is reported", "is recorded" or "is printed"'],
  [/\bstands?\b(?!-in\b| still\b| (?:in )?for\b)|\bstood\b/i, '"is", "is in" or "applies"'],
  [/\bat the door\b/i, '"on input", or name the function'],
  [/\bfor good\b/i, '"permanently"'],
  [/\b(?:and|or) the like\b/i, '"such as …"'],
  [/\bmend(?:s|ed|ing)?\b/i, '"repair" or "fix"'],
  [/\b(?:dies|died)\b/i, '"ends" or "stops"'],
  [/\b(?:born|fate)\b/i, 'the usual words'],
  [/\b(?:lest|whence|thereof|upon|henceforth|hitherto)\b/i, 'the usual words'],
  [/\bdear(?:er|est)\b/i, '"more expensive" or "most expensive"'],
  [/\b(?:tells?|told) (?:\S+ ){0,2}apart\b|\bcannot be told\b/i, '"distinguish"'],
];

/**
 * Folders of sample projects and skills that agents in tests and in the demo work on. Their texts are not checked,
 * because they imitate other people's projects.
 */
const SAMPLES: readonly string[] = ['apps/cli/demo/project/', 'tools/skills/tests/skills/'];

/**
 * Beginnings of the paths of files with strings that are recorded in logs or sent to models. Another wording would
 * change digests of recorded sessions, so only the comments of these files are checked.
 */
const FROZEN: readonly string[] = [
  'apps/cli/demo/shop.ts',
  'packages/context/src/front/contract/',
  'packages/context/src/base/render.ts',
  'packages/model/src/unlisted-model.ts',
  'packages/recording/src/replay/drive-call.ts',
  'scripts/catalog/',
];

/** Beginnings of a comment that make a reader wait for its subject. */
const OPENINGS = /^(?:What|Who|Whom|Whose|Whether|That|Of these|Of those|That which|Those that)\b/;

/** Returns each refused phrase in a comment, a test title, a string or a Markdown page. Code in backticks and targets of links are not checked. */
export function refusedPhrases(tree: Tree): readonly Violation[] {
  return [...tree].flatMap(([file, text]) => {
    if (SAMPLES.some((folder) => file.startsWith(folder))) return [];
    const prose = isSource(file) ? proseOfSource(file, text) : file.endsWith('.md') ? proseOfPage(text) : [];
    const frozen = FROZEN.some((beginning) => file.startsWith(beginning));
    return prose.flatMap((one) => (frozen && !one.comment ? [] : problemsOf(file, one)));
  });
}

function problemsOf(file: string, { text, line, comment }: Prose): readonly Violation[] {
  const plain = text
    .replaceAll(/`[^`]*`/g, '`')
    .replaceAll(/\]\([^)]*\)/g, ']')
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
