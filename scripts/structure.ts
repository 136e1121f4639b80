// `npm run structure`: prints the shape of the source tree in numbers. Counts only product code, without tests,
// contracts, benchmarks and scripts.

import { fileURLToPath } from 'node:url';

import { circlesOfFolders } from '../tests/architecture/arrows.ts';
import { importsOf, parseFile, walk } from '../tests/architecture/imports.ts';
import { typesIn } from '../tests/architecture/names.ts';
import { roomOf, roomsOf } from '../tests/architecture/rooms.ts';
import { isSource, isTest, readTree } from '../tests/architecture/tree.ts';

const tree = readTree(fileURLToPath(new URL('../', import.meta.url)));
const rooms = roomsOf(tree);
const files = [...tree].filter(([path]) => isSource(path) && !isTest(path) && roomOf(path, rooms) !== undefined);
const lines = files.map(([, text]) => text.split('\n').length - 1).toSorted((a, b) => a - b);
const types = typesIn(tree);
const twice = [...types].filter(([, declared]) => declared.length > 1);

const rows: readonly (readonly [what: string, count: number | string])[] = [
  ['files', files.length],
  ['lines of a file, median', lines[Math.floor(lines.length / 2)] ?? 0],
  ['files under 40 lines', lines.filter((count) => count < 40).length],
  ['imports', importsOf(tree).length],
  ['type names', types.size],
  ['type names declared more than once', twice.length],
  ['cycles of folders in a package', circlesOfFolders(tree).length],
  ['conditional spreads in objects', files.reduce((sum, [path, content]) => sum + spreadsIn(path, content), 0)],
];
const width = Math.max(...rows.map(([what]) => what.length));
for (const [what, count] of rows) console.log(`${what.padEnd(width)}  ${count}`);
for (const [name, declared] of twice) console.log(`  ${name}: ${declared.join(', ')}`);

/** Returns the number of conditional members of object literals: `...(x && { x })`, `...(x ? { x } : {})`. */
function spreadsIn(path: string, content: string): number {
  let count = 0;
  walk(parseFile(path, content), (node, parent) => {
    if (node.type !== 'SpreadElement' || parent?.type !== 'ObjectExpression') return;
    const { argument } = node;
    const inner = argument.type === 'ParenthesizedExpression' ? argument.expression : argument;
    if (inner.type === 'ConditionalExpression' || (inner.type === 'LogicalExpression' && inner.operator === '&&'))
      count += 1;
  });
  return count;
}
