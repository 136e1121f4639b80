import { expect, test } from 'vitest';
import { headingOf, headingsIn } from './headings.ts';

test.each<readonly [path: string, line: string, name: string]>([
  ['a.ts', 'export async function readRows(file: string): Promise<void> {', 'readRows'],
  ['a.ts', 'export const RATE = 3;', 'RATE'],
  ['a.ts', '  private roundUp(cents: bigint): bigint {', 'roundUp'],
  ['a.tsx', 'export interface RowProps {', 'RowProps'],
  ['a.py', '    async def read_rows(self):', 'read_rows'],
  ['a.py', 'class Reader(Base):', 'Reader'],
  ['a.go', 'func (r *Reader) Rows() error {', 'Rows'],
  ['a.rs', 'pub(crate) fn read_rows(&self) -> Vec<Row> {', 'read_rows'],
  ['a.rb', '  def total', 'total'],
  ['a.php', '  public static function total()', 'total'],
  ['a.kt', 'internal fun total(): Int {', 'total'],
  ['a.java', '    public int total(List<Row> rows) {', 'total'],
  ['a.sh', 'read_rows() {', 'read_rows'],
])('finds the heading of %s in %s', (path, line, name) => {
  expect(headingsIn(path, [line])).toEqual([{ index: 0, text: line.trim(), name }]);
});

test.each([
  ['a.ts', '  if (ready) {'],
  ['a.ts', '  return total(rows);'],
  ['a.java', '      return new Row(a, b);'],
  ['a.css', '  color: red;'],
  ['a.unknown', 'anything'],
])('finds none of %s in %s', (path, line) => {
  expect(headingsIn(path, [line])).toEqual([]);
});

test('takes the nearest heading above a line, and where there is none the nearest less-indented line', () => {
  const code = ['class A {', '  one() {', '    return 1;', '  }', '}'];
  expect(headingOf('a.ts', code, 2)).toBe('one() {');
  expect(headingOf('a.md', ['# Title', 'text'], 1)).toBe('# Title');
  expect(headingOf('a.yaml', ['  jobs:', '    build:', '      steps: 3'], 2)).toBe('build:');
  expect(headingOf('a.ts', ['  x'], 0)).toBeUndefined();
});

test('reads a line of 100,000 characters in time that follows its length', () => {
  const line = `${'public '.repeat(15_000)}(`;
  expect(headingsIn('a.java', [line])).toEqual([]);
});
