// Project that the nine prompts work on: a generated shop in TypeScript, the same in every run. Each area has source
// files and tests. A source file takes 500 to 6,000 tokens, and small files are more frequent than large ones.

import { randomNumbers } from '../made-text.ts';

/** One function of a source file, with its text. */
export interface MadeFunction {
  readonly name: string;
  readonly text: string;
}

/** One source file or test file of the shop. */
export interface MadeSource {
  /** Path from the root of the workspace. */
  readonly path: string;
  readonly functions: readonly MadeFunction[];
}

export interface MadeArea {
  readonly name: string;
  readonly sources: readonly MadeSource[];
  readonly tests: readonly MadeSource[];
}

/** Number of source files and of test files in an area. */
const SOURCES = 12;
const TESTS = 6;
/** Minimum and maximum bytes of a source file: 500 to 6,000 tokens at four bytes each. */
const MIN_BYTES = 2_000;
const MAX_BYTES = 24_000;

const FILES = 'rules lines totals store events limits parse format plan check audit routes'.split(' ');
const VERBS = 'read load sum round split check merge plan apply format count find pack sort close open'.split(' ');
const NOUNS = 'Line Total Rate Entry Batch Window Notice Party Period Draft Record Limit Step Amount'.split(' ');
const FIELDS = 'amount rate country currency reference quantity discount weight period status'.split(' ');

/** Makes an area. The same name and seed give the same text. */
export function makeArea(name: string, seed: number): MadeArea {
  const random = randomNumbers(seed);
  const names = namesOf(name, random);
  const sources = FILES.slice(0, SOURCES).map((file) => {
    const bytes = MIN_BYTES * (MAX_BYTES / MIN_BYTES) ** random();
    return makeSource(`src/${name}/${file}.ts`, bytes, names, random);
  });
  const tests = sources.slice(0, TESTS).map(({ path, functions }) => testOf(path, functions));
  return { name, sources, tests };
}

/** Returns the text of a file. */
export function textOfSource({ path, functions }: MadeSource): string {
  return `// Part of the shop: ${path}.\n\n${functions.map(({ text }) => text).join('\n\n')}\n`;
}

/**
 * Returns the function names of an area in a random order. After all names were used, the same names follow with the
 * suffix `Again`.
 */
function namesOf(area: string, random: () => number): Iterator<string> {
  const title = `${area[0]?.toUpperCase() ?? ''}${area.slice(1)}`;
  const all = VERBS.flatMap((verb) => NOUNS.map((noun) => `${verb}${title}${noun}`));
  const placed = all.map((name) => ({ name, place: random() })).toSorted((a, b) => a.place - b.place);
  return [...placed.map(({ name }) => name), ...placed.map(({ name }) => `${name}Again`)].values();
}

function makeSource(path: string, bytes: number, names: Iterator<string>, random: () => number): MadeSource {
  const functions: MadeFunction[] = [];
  for (let length = 0; length < bytes; length += functions.at(-1)?.text.length ?? bytes) {
    const name = String(names.next().value ?? `other${functions.length}`);
    functions.push({ name, text: makeFunction(name, 4 + Math.floor(9 * random()), random) });
  }
  return { path, functions };
}

/** Makes a function with this many statements. */
export function makeFunction(name: string, statements: number, random: () => number): string {
  const field = (): string => FIELDS[Math.floor(random() * FIELDS.length)] ?? 'amount';
  const body = Array.from({ length: statements }, (_, index) => {
    const [from, to] = [field(), field()];
    if (index % 3 === 0) return `  const ${from}${index} = given.${from} ?? settings.${to};`;
    if (index % 3 === 1)
      return `  if (given.${from} < ${Math.floor(random() * 900)}) total += given.${to} * settings.${from};`;
    return `  report.push({ of: '${name}', ${from}: given.${from}, ${to}: total - given.${to} });`;
  });
  return [
    `/** Uses ${field()} and ${field()} of an entry; the ${field()} is looked up by ${field()} first. */`,
    `export function ${name}(given: Entry, settings: Settings, report: Row[]): number {`,
    '  let total = 0;',
    ...body,
    '  return total;',
    '}',
  ].join('\n');
}

function testOf(path: string, functions: readonly MadeFunction[]): MadeSource {
  const cases = functions.slice(0, 14).map(({ name }, index) => ({
    name: `test of ${name}`,
    text: [
      `test('${name} gives the sum of its entries ${index}', () => {`,
      '  const report: Row[] = [];',
      `  const total = ${name}(entryOf({ amount: ${100 + index}, rate: 0.19 }), settingsOf('DE'), report);`,
      `  expect(total).toBe(${119 + index});`,
      `  expect(report.map(({ of }) => of)).toEqual(['${name}']);`,
      '});',
    ].join('\n'),
  }));
  return { path: path.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts'), functions: cases };
}
