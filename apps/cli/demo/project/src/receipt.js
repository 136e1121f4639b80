import { totals } from './cart.js';
import { formatCents } from './money.js';
import { RATES } from './tax.js';

/** A receipt as lines of text. */
export function receipt(cart) {
  const { net, tax, gross } = totals(cart);
  const lines = cart.lines.map(
    ({ name, kind, cents, count }) => `${count} x ${name} ${formatCents(cents * count)} (${RATES[kind]}%)`,
  );
  return [...lines, `net ${formatCents(net)}`, `tax ${formatCents(tax)}`, `total ${formatCents(gross)}`];
}
