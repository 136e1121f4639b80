import { RATES, taxOn } from './tax.js';

/** A cart with nothing in it. */
export function emptyCart() {
  return { lines: [] };
}

/** The cart with one more line. */
export function add(cart, { name, kind, cents, count = 1 }) {
  return { lines: [...cart.lines, { name, kind, cents, count }] };
}

/** What the lines cost before tax, the tax on each line, and both together. */
export function totals(cart) {
  const net = cart.lines.reduce((sum, line) => sum + line.cents * line.count, 0);
  const tax = cart.lines.reduce((sum, line) => sum + taxOn(line.cents * line.count, RATES[line.kind]), 0);
  return { net, tax, gross: net + tax };
}
