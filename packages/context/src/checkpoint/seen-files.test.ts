import { expect, test } from 'vitest';
import { headingOf, headingsIn } from './seen-files.ts';

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
])('`headingsIn` for %s finds the heading in: %s', (path, line, name) => {
  expect(headingsIn(path, [line])).toEqual([{ index: 0, text: line.trim(), name }]);
});

test.each([
  ['a.ts', '  if (ready) {'],
  ['a.ts', '  return total(rows);'],
  ['a.java', '      return new Row(a, b);'],
  ['a.css', '  color: red;'],
  ['a.unknown', 'anything'],
])('`headingsIn` for %s finds no heading in: %s', (path, line) => {
  expect(headingsIn(path, [line])).toEqual([]);
});

test('`headingOf` returns the nearest heading above a line, or else the nearest line with less indent', () => {
  const code = ['class A {', '  one() {', '    return 1;', '  }', '}'];
  expect(headingOf('a.ts', code, 2)).toBe('one() {');
  expect(headingOf('a.md', ['# Title', 'text'], 1)).toBe('# Title');
  expect(headingOf('a.yaml', ['  jobs:', '    build:', '      steps: 3'], 2)).toBe('build:');
  expect(headingOf('a.ts', ['  x'], 0)).toBeUndefined();
});

test('`headingsIn` reads a line of 100,000 characters in linear time', () => {
  const line = `${'public '.repeat(15_000)}(`;
  expect(headingsIn('a.java', [line])).toEqual([]);
});

/** Returns the heading of the line that contains `HERE`. */
function headingAt(path: string, text: string): string | undefined {
  const lines = text.split('\n');
  return headingOf(
    path,
    lines,
    lines.findIndex((line) => line.includes('HERE')),
  );
}

test.each<readonly [name: string, path: string, text: string, heading: string]>([
  [
    'a Java method with a digit',
    'A.java',
    'class A {\n  byte[] one() {\n  }\n  byte[] sha256(byte[] in) {\n    HERE\n',
    'byte[] sha256(byte[] in) {',
  ],
  [
    'a Dart method with a digit',
    'a.dart',
    'class A {\n  Widget build() {\n  }\n  void load2() {\n    HERE\n',
    'void load2() {',
  ],
  [
    'a JavaScript generator',
    'a.js',
    'class A {\n  one() {\n  }\n  static async *two(x) {\n    HERE\n',
    'static async *two(x) {',
  ],
  [
    'a property that is a function',
    'a.ts',
    'const all = {\n  one() {\n  },\n  two: async (x) => {\n    HERE\n',
    'two: async (x) => {',
  ],
  [
    'the function, not a callback that ended above the line',
    'a.tsx',
    'function App() {\n  useEffect(() => {\n    go();\n  }, []);\n  HERE\n',
    'function App() {',
  ],
  ['a Swift initializer', 'a.swift', 'class A {\n  func one() {\n  }\n  init(x: Int) {\n    HERE\n', 'init(x: Int) {'],
  [
    'a Rust function with several keywords',
    'a.rs',
    'impl Store {\n  pub async unsafe fn load(&self) {\n    HERE\n',
    'pub async unsafe fn load(&self) {',
  ],
  [
    'the Markdown heading, not a comment in a code fence',
    'a.md',
    '# Setup\n```sh\n# install it\nnpm ci\n```\nHERE\n',
    '# Setup',
  ],
  [
    'the Markdown heading above a fence, not a comment after a fence inside it that has a language',
    'a.md',
    '# Setup\n```md\n```sh\n# install it\nHERE\n',
    '# Setup',
  ],
  [
    'the Markdown heading after a fence that ends with white space or is longer than it began',
    'a.md',
    '# Setup\n```\n# no\n``` \t\r\n# One\n~~~\n# no\n~~~~\n# Two\nHERE\n',
    '# Two',
  ],
  [
    'the Markdown heading after a line that begins with inline code of three backticks',
    'a.md',
    '# Setup\n``` npm ci ``` installs it\n# Use\nHERE\n',
    '# Use',
  ],
  ['the nearest YAML key with less indentation', 'a.yml', 'jobs:\n  build:\n    steps:\n      - HERE\n', 'steps:'],
  [
    'a Go function',
    'a.go',
    'func one() {\n}\nfunc (s *S) Two(x int) error {\n\tHERE\n',
    'func (s *S) Two(x int) error {',
  ],
  [
    'a Python method',
    'a.py',
    'class A:\n    def one(self):\n        pass\n    async def two(self):\n        HERE\n',
    'async def two(self):',
  ],
])('`headingOf` returns %s', (_, path, text, heading) => {
  expect(headingAt(path, text)).toBe(heading);
});
