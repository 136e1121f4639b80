// Tokens of well-known shapes, by the rules of secretlint: they are kept up with the providers, which own expressions
// would not be. The rules are run without secretlint's engine: that leaves marks behind with each run, and the rule that
// is left out here lets a comment in the text (`secretlint-disable`) switch all others off.

import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { SecretLintRuleContext, SecretLintSourceCode } from '@secretlint/types';

/** A piece of a text that has the shape of a token. */
export interface Shape {
  readonly start: number;
  readonly end: number;
  /** The rule that knows it: `github`, `privatekey`. */
  readonly name: string;
}

type Rule = (typeof rules)[number];

const PREFIX = '@secretlint/secretlint-rule-';
const SWITCHES_OFF = `${PREFIX}filter-comments`;

/** The longest that a rule matches: a private key of 10,000 characters and its frame, or a token in three parts. */
export const LONGEST_SHAPE = 16_384;

/** The names of the rules that are run. */
export const SHAPES: readonly string[] = rules.filter(isFinder).map(nameOf);

/** Everything in the text that has such a shape, in the order of the rules; overlaps are possible. */
export async function findShapes(text: string): Promise<readonly Shape[]> {
  const found: Shape[] = [];
  const source = sourceOf(text);
  for (const rule of rules) {
    if (!isFinder(rule)) continue;
    const name = nameOf(rule);
    const context = contextOf(([start, end]) => found.push({ start, end, name }));
    await rule.create(context, {}).file?.(source);
  }
  return found;
}

function isFinder({ meta }: Rule): boolean {
  return meta.id !== SWITCHES_OFF;
}

function nameOf({ meta }: Rule): string {
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
