// Sample files of a small shop project: the outputs of the tools in the demo's session.

const CODES = [
  'AT',
  'BE',
  'BG',
  'CY',
  'CZ',
  'DE',
  'DK',
  'EE',
  'ES',
  'FI',
  'FR',
  'GR',
  'HR',
  'HU',
  'IE',
  'IT',
  'LT',
  'LU',
  'LV',
  'MT',
  'NL',
  'PL',
  'PT',
  'RO',
  'SE',
  'SI',
  'SK',
];

export const LISTING = `CHANGELOG.md
package.json
src/cart.ts
src/countries.ts
src/invoice.ts
src/rates.ts
src/rounding.ts
src/tax.ts
test/tax.test.ts
test/invoice.test.ts
test/cart.test.ts`;

export const TEST_FAILS = `> shop@3.2.0 test
> node --test

${Array.from({ length: 40 }, (_one, index) => `ok ${index + 1} - ${['cart adds a line', 'invoice sums its lines', 'rates are in basis points', 'rounding is half to even'][index % 4]} (${index + 1})`).join('\n')}
not ok 41 - tax of three lines is rounded once
  ---
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:
    1258 !== 1257
  code: 'ERR_ASSERTION'
  stack: |-
    TestContext.<anonymous> (test/tax.test.ts:31:10)
  ...
# tests 41
# pass 40
# fail 1`;

export const TEST_PASSES = `> shop@3.2.0 test
> node --test

${Array.from({ length: 41 }, (_one, index) => `ok ${index + 1} - ${['cart adds a line', 'invoice sums its lines', 'rates are in basis points', 'rounding is half to even'][index % 4]} (${index + 1})`).join('\n')}
# tests 41
# pass 41
# fail 0`;

export const TAX_TEST = `import { test } from 'node:test';
import assert from 'node:assert/strict';
import { taxOf } from '../src/tax.ts';
import { line, food } from './lines.ts';

${CODES.map(
  (code) => `test('taxes ${code} at its standard rate', () => {
  const order = { country: '${code}', lines: [line('book', 1_000), line('pen', 250)] };
  assert.equal(typeof taxOf(order), 'number');
  assert.ok(taxOf(order) > 0);
  assert.equal(taxOf({ ...order, lines: [] }), 0);
  assert.equal(taxOf({ ...order, lines: [food('bread', 300)] }) % 1, 0);
  assert.deepEqual(order.lines.map((one) => one.amount), [1_000, 250]);
});`,
).join('\n\n')}

test('tax of three lines is rounded once', () => {
  const order = { country: 'DE', lines: [line('a', 2_205), line('b', 2_205), line('c', 2_206)] };
  assert.equal(taxOf(order), 1_257);
});
// countries`;

export const TAX = `// The tax of an order, in cents.
import { rateOf } from './rates.ts';
import { roundHalfEven } from './rounding.ts';
import type { Line, Order } from './cart.ts';

/** Tax of one line, not rounded: rates are in basis points. */
export function lineTax(line: Line): number {
  return (line.amount * rateOf(line)) / 10_000;
}

/** Tax of an order. Rounding rules: see invoice.ts. */
export function taxOf(order: Order): number {
  const total = order.lines.reduce((sum, line) => sum + roundHalfEven(lineTax(line)), 0);
  return total;
}`;

export const ROUNDING = `// Rounding of amounts: half to even, so that many small errors do not add up in one direction.

/** Rounds to whole cents. */
export function roundHalfEven(amount: number): number {
  const floor = Math.floor(amount);
  const rest = amount - floor;
  if (rest < 0.5) return floor;
  if (rest > 0.5) return floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}`;

export const RATES = `// Rates by country and kind, in basis points.
import { countryOf } from './countries.ts';
import type { Line } from './cart.ts';

const KINDS = ['standard', 'food', 'books', 'none'] as const;
export type Kind = (typeof KINDS)[number];

export const RATES = new Map([
${CODES.map((code, index) => `  ['${code}', { standard: ${1700 + (index % 9) * 100}, food: ${500 + (index % 5) * 100}, books: ${(index % 4) * 250}, none: 0 }],`).join('\n')}
]);

/** The rate of a line. Unknown countries are refused at the door, not here. */
export function rateOf(line: Line): number {
  return RATES.get(countryOf(line).code)?.[line.kind ?? 'standard'] ?? 0;
}`;

export const GREP = `src/invoice.ts:3:import { lineTax, taxOf } from './tax.ts';
src/invoice.ts:41:  // Round once, at the end: the sum of rounded lines differs from the rounded sum.
src/tax.ts:3:import { roundHalfEven } from './rounding.ts';
src/tax.ts:7:export function lineTax(line: Line): number {
src/tax.ts:13:  const total = order.lines.reduce((sum, line) => sum + roundHalfEven(lineTax(line)), 0);
src/rounding.ts:4:export function roundHalfEven(amount: number): number {
src/rates.ts:2:import { countryOf } from './countries.ts';
src/countries.ts:40:export function countryOf(line: Line): Country {`;

export const INVOICE = `// An invoice: lines, sums, and the words of the law.
import type { Order } from './cart.ts';
import { lineTax, taxOf } from './tax.ts';

${Array.from(
  { length: 120 },
  (_one, index) => `/** Paragraph ${index + 1} of the terms, as the chamber of commerce words it. */
export const TERM_${index + 1} = 'Goods remain the property of the seller until they are paid for in full (${index + 1}).';`,
).join('\n\n')}

/** The lines of an invoice with their amounts and the tax of the whole. */
export function invoiceOf(order: Order): Invoice {
  // Round once, at the end: the sum of rounded lines differs from the rounded sum.
  const lines = order.lines.map((line) => ({ text: line.name, amount: line.amount, tax: lineTax(line) }));
  return { lines, tax: taxOf(order), total: order.lines.reduce((sum, line) => sum + line.amount, 0) + taxOf(order) };
}`;

export const CART = `// A cart: what somebody wants to buy.
import { taxOf } from './tax.ts';

/** One line of an order. Amounts are in cents. */
export interface Line { readonly name: string; readonly amount: number; readonly kind?: Kind; readonly country: string }

/** An order before it is paid. */
export interface Order { readonly country: string; readonly lines: readonly Line[] }

${['add', 'remove', 'clear', 'merge', 'save', 'load', 'share']
  .map(
    (verb) => `/** Returns a cart after "${verb}"; the cart given stays as it was. */
export function ${verb}(cart: Order, line: Line): Order {
  const lines = cart.lines.filter((one) => one.name !== line.name);
  return { ...cart, lines: [...lines, line] };
}`,
  )
  .join('\n\n')}

/** What the customer sees before paying. */
export function preview(cart: Order): string {
  return \`\${cart.lines.length} items, tax \${taxOf(cart)} cents\`;
}`;

export const COUNTRIES = `// Countries that the shop sells to.
import type { Line } from './cart.ts';

export interface Country { readonly code: string; readonly name: string; readonly standard: number; readonly food: number }

export const COUNTRIES: readonly Country[] = [
${CODES.map((code, index) => `  { code: '${code}', name: 'Country ${code}', standard: ${1700 + (index % 9) * 100}, food: ${500 + (index % 5) * 100} },`).join('\n')}
  // Norway is next.
];

/** The country of a line. */
export function countryOf(line: Line): Country {
  const country = COUNTRIES.find((one) => one.code === line.country);
  if (country === undefined) throw new Error(\`the shop does not sell to \${line.country}\`);
  return country;
}`;

export const CHANGELOG = `# Changelog

## Unreleased

${Array.from(
  { length: 9 },
  (_one, index) => `## 3.${9 - index}.0
- Sells to ${CODES[index]} and ${CODES[index + 9]}.
- The cart keeps its lines in the order they were added.
- Invoices name the rate of each line.`,
).join('\n\n')}`;
