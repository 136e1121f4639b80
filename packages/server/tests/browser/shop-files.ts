// Files of a small shop, in memory: the project on which the shown session works.

const PARTS = ['books', 'tools', 'tea', 'bread', 'lamps', 'ropes', 'charts', 'sails', 'boots', 'soap', 'paint', 'nets'];

/** Returns the files of the shop by path. */
export function shopFiles(): Map<string, string> {
  return new Map([
    ['AGENTS.md', 'Amounts are whole cents. Round half up with `roundHalfUp` from src/money.js. Run the tests.\n'],
    ['src/money.js', money()],
    ['src/tax.js', tax()],
    ['src/receipt.js', receipt()],
    ['src/discount.js', module('discount', 'Returns the discount of a line in cents.')],
    ['src/report.js', module('report', 'Adds the lines of a month to the report of a part.')],
    ['src/orders.js', module('orders', 'Returns the open orders of a part, the oldest first.')],
    ['test/receipt.test.js', module('receipt test', 'Checks that the receipt of a part adds up.')],
    ['docs/tax.md', PARTS.map((part) => `## ${part}\n\n${lawOf(part)}\n`).join('\n')],
  ]);
}

function money(): string {
  return `/** Rounds half cents up. */
export const roundHalfUp = (value) => Math.floor(value + 0.5);

/** Formats cents as dollars. */
export const dollars = (cents) => \`$\${(cents / 100).toFixed(2)}\`;
`;
}

function tax(): string {
  const rates = PARTS.map((part, index) => `  ${part}: 0.0${index % 8},`).join('\n');
  return `/** Rates by kind of goods. */
export const RATES = {
${rates}
};

/** Returns the tax on an amount of cents. */
export function taxOn(cents, rate) {
  return Math.floor((cents * rate) / 100);
}
`;
}

function receipt(): string {
  return `import { discountOf } from './discount.js';
import { RATES, taxOn } from './tax.js';

${PARTS.map((part) => functionOf('receipt', part, 'Prints a line of the receipt.')).join('\n')}`;
}

function module(name: string, comment: string): string {
  return `import { RATES, taxOn } from './tax.js';\n\n${PARTS.map((part) => functionOf(name, part, comment)).join('\n')}`;
}

function functionOf(name: string, part: string, comment: string): string {
  const [verb = ''] = name.split(' ');
  return `/** ${comment} This one is for ${part}. */
export function ${verb}${part.charAt(0).toUpperCase()}${part.slice(1)}(lines, month) {
  const own = lines.filter(({ kind, at }) => kind === '${part}' && at.startsWith(month));
  const cents = own.reduce((sum, { price, amount }) => sum + price * amount, 0);
  if (cents < 0) throw new RangeError(\`the sum of ${part} in \${month} is negative: \${cents}\`);
  return { kind: '${part}', month, lines: own.length, cents, tax: taxOn(cents, RATES.${part}) };
}
`;
}

function lawOf(part: string): string {
  return `The tax on ${part} is computed for each line of a receipt and rounded half up to whole cents. The sum of a receipt is the sum of its rounded lines. A discount is taken off before the tax is computed.`;
}
