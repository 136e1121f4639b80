// Tokens of well-known shapes, by the rules of secretlint: they are kept up with the providers, which own expressions
// would not be. The rules are run without secretlint's engine: that leaves marks behind with each run, and the rule that
// is left out here lets a comment in the text (`secretlint-disable`) switch all others off.

import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { SecretLintRuleContext, SecretLintSourceCode } from '@secretlint/types';
import type { SecretShape } from './shape.ts';

type TokenRule = (typeof rules)[number];

const PREFIX = '@secretlint/secretlint-rule-';
const SWITCHES_OFF = `${PREFIX}filter-comments`;

/**
 * Rules that do not run, because our own find the same with the right range. `aws` and `npm` report a range that begins at
 * the name and is as long as the value. `basicauth` and `database-connection-string` report the whole address, and what
 * stands behind it up to the next white space.
 */
const REPLACED: ReadonlySet<string> = new Set(['aws', 'npm', 'basicauth', 'database-connection-string']);

/** The names of the rules that are run. */
export const SHAPES: readonly string[] = rules.filter(isFinder).map(nameOf);

/** Everything in the text that a rule of the library finds, in the order of the rules; overlaps are possible. */
export async function findByLibrary(text: string): Promise<readonly SecretShape[]> {
  const found: SecretShape[] = [];
  const source = sourceOf(text);
  for (const rule of rules) {
    if (!isFinder(rule)) continue;
    const name = nameOf(rule);
    const context = contextOf(([start, end]) => found.push({ from: start, start, end, name }));
    await rule.create(context, {}).file?.(source);
  }
  return found;
}

function isFinder(rule: TokenRule): boolean {
  return rule.meta.id !== SWITCHES_OFF && !REPLACED.has(nameOf(rule));
}

function nameOf({ meta }: TokenRule): string {
  return meta.id.slice(PREFIX.length);
}

function contextOf(report: (range: readonly [number, number]) => void): SecretLintRuleContext {
  return {
    sharedOptions: {},
    createTranslator: () => (messageId) => ({ message: '', messageId: String(messageId), data: undefined }),
    report: ({ range }) => report(range),
    ignore: () => undefined,
  };
}

/** A text that is no file: the rules for kinds of files find nothing to read. */
function sourceOf(content: string): SecretLintSourceCode {
  return {
    hasBOM: false,
    content,
    filePath: undefined,
    physicalFilePath: undefined,
    contentType: 'text',
    ext: '.txt',
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    locationToRange: unasked,
    rangeToLocation: unasked,
    positionToIndex: unasked,
    indexToPosition: unasked,
  };
}

/** Lines and columns are for reports to people. */
function unasked(): never {
  throw new TypeError('a rule of secretlint asked for lines and columns, which masking does not count');
}
