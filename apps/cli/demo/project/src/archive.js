import { formatCents } from './money.js';

/** The copy of a receipt, for the tax office: by what was charged then, whatever the code computes today. */
export function copyOf({ order, cents, tax }) {
  return [
    `copy of ${order}`,
    `net ${formatCents(cents)}`,
    `tax ${formatCents(tax)}`,
    `total ${formatCents(cents + tax)}`,
  ];
}
