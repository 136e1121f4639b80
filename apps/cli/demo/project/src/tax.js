/** Rates by kind of goods, in percent. */
export const RATES = { book: 7, food: 7, tool: 19 };

/** The tax on an amount, in whole cents. */
export function taxOn(cents, rate) {
  return Math.floor((cents * rate) / 100);
}
