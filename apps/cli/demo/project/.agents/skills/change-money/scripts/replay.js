// Computes the tax of every past order again, and says by how many cents it differs from what was charged.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const shop = process.cwd();
const { RATES, taxOn } = await import(pathToFileURL(resolve(shop, 'src/tax.js')));
const [, ...lines] = readFileSync(resolve(shop, 'data/orders.csv'), 'utf8').trimEnd().split('\n');

let differing = 0;
let most = 0;
for (const line of lines) {
  const [order, kind, cents, charged] = line.split(',');
  const by = taxOn(Number(cents), RATES[kind]) - Number(charged);
  if (by !== 0) differing += 1;
  most = Math.max(most, Math.abs(by));
  console.log(`${order} ${by === 0 ? 'same' : by > 0 ? `+${by}` : by}`);
}
console.log(`${differing} of ${lines.length} orders differ, by ${most} cent at most`);
