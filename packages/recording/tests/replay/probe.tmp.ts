import fc from 'fast-check';
import { scripts } from './script.ts';
import { writePi } from './write-pi.ts';
import { writeClaude } from './write-claude.ts';
import { replayRows } from './replay-rows.ts';
import { faultsOf } from './must-hold.ts';
const [, , which, runs, most, seed] = process.argv;
const write = which === 'pi' ? writePi : writeClaude;
const tally = new Map<string, number>();
let n = 0;
const start = Date.now();
const list = fc.sample(scripts(Number(most)), { numRuns: Number(runs), seed: Number(seed ?? 1) });
const stats = new Map<string, number>();
const bump = (k: string, by = 1) => stats.set(k, (stats.get(k) ?? 0) + by);
const examples = new Map<string, number>();
for (const [index, script] of list.entries()) {
  let faults: readonly string[];
  const rows = write(script);
  try {
    const r = await replayRows(rows);
    n += r.result.calls;
    faults = await faultsOf(r);
    for (const m of r.result.misses) bump('miss ' + m.cause);
    for (const c of Object.keys(r.result.forcedBy)) bump('forced ' + c);
    for (const m of r.result.recorded.misses) bump('recorded ' + m.cause);
    bump('sessions', r.result.sessions.length);
    for (const c of r.result.standIns) bump('standin');
    bump(r.result.sizes);
    if ((r.result.expiringRatio ?? 1) < 0.9) bump('low ratio');
    if ((r.result.expiringRatio ?? 1) > 1.001) bump('ratio above 1.001');
  } catch (e) {
    faults = [
      `threw ${(e as Error).message.slice(0, 140)} ${((e as Error).stack ?? '')
        .split('\n')
        .filter((l) => l.includes('/src/'))[0]
        ?.trim()}`,
    ];
  }
  for (const f of faults) {
    const k = f
      .replace(/[a-z]*\d[\d.]*/g, '#')
      .replace(/forced \{.*/, '')
      .slice(0, 160);
    tally.set(k, (tally.get(k) ?? 0) + 1);
    if (!examples.has(k)) examples.set(k, index);
  }
}
console.log(`${n} calls, ${Date.now() - start} ms`);
for (const [k, v] of [...tally].sort((a, b) => b[1] - a[1])) console.log(v, `#${examples.get(k)}`, k);
console.log(Object.fromEntries([...stats].sort()));
