// Finds everything in a text that has the shape of a secret: first by our own rules, whose ranges end where the secret
// ends, then by those of secretlint in what is left.

import { findBetweenColours } from './colours.ts';
import { findKeyLines } from './key-lines.ts';
import { findNamedValues } from './named-values.ts';
import { findPairedValues } from './paired-values.ts';
import { PLACE_RULES } from './place-rules.ts';
import type { SecretShape } from './shape.ts';
import type { SecretRule } from './token-rules.ts';
import { SHORTEST_RUN, TOKEN_HINT, TOKEN_RULES } from './token-rules.ts';
import { findByLibrary } from './token-shapes.ts';

/** Longest stretch that a rule looks at, from where it begins to where the secret ends, in UTF-16 units. */
export const LONGEST_SHAPE = 16_384;

/**
 * Every shape in the text, apart and in order. Of shapes that overlap one is made, by the name of the first.
 * `withinLine`: the text is cut out of a longer one and begins in the middle of a line.
 */
export async function findShapes(text: string, withinLine = false): Promise<readonly SecretShape[]> {
  const own = findOwn(text, withinLine);
  return own.length > 0 ? own : joined(await findByLibrary(text));
}

/** Every shape in the text that a rule of our own finds, apart and in order. */
export function findOwn(text: string, withinLine = false): readonly SecretShape[] {
  const find = (plain: string): readonly SecretShape[] => findPlain(plain, withinLine);
  return joined([...find(text), ...findBetweenColours(text, find, LONGEST_SHAPE)]);
}

function findPlain(text: string, withinLine: boolean): readonly SecretShape[] {
  const places = PLACE_RULES.flatMap(({ hint, rules }) =>
    hint.test(text) ? rules.flatMap((rule) => shapesOf(rule, text)) : [],
  );
  const named = findNamedValues(text, withinLine);
  return [...tokensIn(text), ...places, ...findKeyLines(text), ...named, ...findPairedValues(text)];
}

function shapesOf({ name, expression, isSecret, looksBack = 0 }: SecretRule, text: string): readonly SecretShape[] {
  const found: SecretShape[] = [];
  for (const { 0: whole, index, groups } of text.matchAll(expression)) {
    const lead = groups?.['lead'] ?? '';
    const secret = groups?.['secret'] ?? whole;
    if (isSecret?.({ text, index, lead, secret }) === false) continue;
    const start = index + lead.length;
    found.push({ from: Math.max(0, index - looksBack), start, end: start + secret.length, name });
  }
  return found;
}

/** Characters before a run that decide where a token begins: an escape, the end of a colour, `ya29.`. */
const LEAD = 16;
/** What a token may go on with behind its run. */
const REST = /[\w.+/=%-]{0,16000}/y;

/** Tokens stand in runs of letters, digits, `_` and `-`. One character of every `SHORTEST_RUN` is looked at until one is found. */
function tokensIn(text: string): readonly SecretShape[] {
  const found: SecretShape[] = [];
  for (let at = SHORTEST_RUN - 1; at < text.length; at += SHORTEST_RUN) {
    if (!isRunCharacter(text.charCodeAt(at))) continue;
    let start = at;
    while (start > at - SHORTEST_RUN && isRunCharacter(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < start + SHORTEST_RUN && isRunCharacter(text.charCodeAt(end))) end += 1;
    if (end < start + SHORTEST_RUN) continue;
    REST.lastIndex = end;
    end += REST.exec(text)?.[0].length ?? 0;
    const from = Math.max(0, start - LEAD);
    const run = text.slice(from, end + 1);
    if (TOKEN_HINT.test(run)) found.push(...shapesIn(run, from));
    at = end - 1;
  }
  return found;
}

function shapesIn(run: string, at: number): readonly SecretShape[] {
  return TOKEN_RULES.flatMap((rule) => shapesOf(rule, run)).map((shape) => ({
    name: shape.name,
    from: shape.from + at,
    start: shape.start + at,
    end: shape.end + at,
  }));
}

/** 1 for the code of a letter, a digit, `_` or `-`. */
const RUN_CHARACTERS = Uint8Array.from({ length: 128 }, (_, code) => Number(/[\w-]/.test(String.fromCharCode(code))));

function isRunCharacter(code: number): boolean {
  return code < 128 && RUN_CHARACTERS[code] === 1;
}

function joined(shapes: readonly SecretShape[]): readonly SecretShape[] {
  const apart: SecretShape[] = [];
  for (const shape of shapes.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = apart.at(-1);
    if (last === undefined || shape.start >= last.end) apart.push(shape);
    else
      apart[apart.length - 1] = { ...last, from: Math.min(last.from, shape.from), end: Math.max(last.end, shape.end) };
  }
  return apart;
}
