// Prints what a CSV file is made of: node profile.mjs <file>. Reads, and changes nothing.
import { readFileSync } from 'node:fs';

const text = readFileSync(process.argv[2], 'utf8').replace(/^\uFEFF/, '');
const lines = text.split(/\r\n|\n|\r/).filter((line) => line !== '');
const outside = (line, mark) => line.replaceAll(/"[^"]*"/g, '').split(mark).length - 1;
const delimiter = [';', '\t', ',', '|'].toSorted((a, b) => outside(lines[0], b) - outside(lines[0], a))[0];
const counts = new Map();
for (const line of lines) {
  const columns = outside(line, delimiter) + 1;
  counts.set(columns, (counts.get(columns) ?? 0) + 1);
}
console.log(`lines ${lines.length}, delimiter ${JSON.stringify(delimiter)}`);
console.log(`columns by lines: ${[...counts].map(([columns, count]) => `${columns} in ${count}`).join(', ')}`);
console.log(`equal lines: ${lines.length - new Set(lines).size}`);
console.log(
  `decimal commas: ${/(^|[;\t])-?\d+,\d+([;\t]|$)/m.test(text)}, replacement characters: ${text.includes('\uFFFD')}`,
);
