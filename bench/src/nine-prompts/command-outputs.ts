// Outputs of the commands in the nine prompts: test runs and type checks. They are the same in every run.

import type { MadeArea } from './made-shop.ts';

/** Returns the output of an area's tests: each case with its time, then the failed cases with their stacks. */
export function testRun(area: MadeArea, { failing, run }: { readonly failing: number; readonly run: number }): string {
  const cases = casesOf(area);
  const failed = cases.slice(0, failing);
  const lines = cases.map((name, at) => `${failed.includes(name) ? ' ×' : ' ✓'} ${name} ${(at * 7 + run) % 23} ms`);
  const stacks = failed.flatMap((name, at) => [
    '',
    `FAIL  test/${area.name} > ${name}`,
    `AssertionError: expected ${118 + at} to be ${119 + at} // Object.is equality`,
    '- Expected',
    '+ Received',
    `- ${119 + at}`,
    `+ ${118 + at}`,
    ...area.sources.slice(0, 9).map(({ path }, line) => `    at ${name.split(' ')[0]} (${path}:${18 + 7 * line}:11)`),
  ]);
  const total = `Tests  ${failed.length} failed | ${cases.length - failed.length} passed (${cases.length})`;
  return [...lines, ...stacks, '', total, ''].join('\n');
}

/** Returns the output of all tests: one line for each file, and a total. */
export function fullRun(areas: readonly MadeArea[]): string {
  const files = areas.flatMap(({ tests }) =>
    tests.map(({ path, functions }) => ` ✓ ${path} (${functions.length} tests)`),
  );
  return [...files, '', `Test Files  ${files.length} passed (${files.length})`, ''].join('\n');
}

/** Returns the output of a type check with this many errors. */
export function typeCheck({ sources }: MadeArea, errors: number): string {
  const lines = Array.from({ length: errors }, (_, at) => {
    const { path = '', functions = [] } = sources[at % sources.length] ?? {};
    return [
      `${path}(${12 + 9 * at},7): error TS2554: Expected 4 arguments, but got 3.`,
      `  ${functions[0]?.name ?? 'other'}(given, settings, report) is called without the rule that it has to apply.`,
    ].join('\n');
  });
  return errors === 0 ? '' : `${lines.join('\n')}\n\nFound ${errors} errors.\n`;
}

function casesOf({ tests }: MadeArea): readonly string[] {
  return tests.flatMap(({ path, functions }) =>
    functions.map(({ name }) => `${name.replace('test of ', '')} gives the sum of its entries (${path})`),
  );
}
