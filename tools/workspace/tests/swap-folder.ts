// A process that swaps a folder for a symlink to another folder and back, as fast as it can: the attacker of
// `races.int.test.ts`. It ends when its standard input closes, or after `MOST_SWAPS`, and prints how often it swapped.

import { existsSync, renameSync, rmSync, symlinkSync } from 'node:fs';

const MOST_SWAPS = 2_000_000;
const BATCH = 50;

const [, , folder = '', target = ''] = process.argv;
const aside = `${folder}-aside`;
let stopped = false;
let swaps = 0;

process.stdin.on('end', () => (stopped = true)).resume();
process.stdout.write('ready\n');
swapBatch();

function swapBatch(): void {
  for (let i = 0; i < BATCH; i += 1) swap(i);
  if (!stopped && swaps < MOST_SWAPS) setImmediate(swapBatch);
  else process.stdout.write(`${swaps} swaps\n`);
}

/** Both states last a little, and not always the same time, so that the other process meets them at any of its steps. */
function swap(turn: number): void {
  try {
    renameSync(folder, aside);
    symlinkSync(target, folder);
    swaps += 1;
    spin(turn % 7);
  } catch {
    // The other process made the folder again while it was away.
  }
  while (!isRestored()) continue;
  spin(turn === 0 ? 5_000 : (turn % 11) * 4);
}

/** A folder that the other process made goes; it may write into it just then. */
function isRestored(): boolean {
  try {
    rmSync(folder, { recursive: true, force: true });
    renameSync(aside, folder);
    return true;
  } catch {
    return false;
  }
}

function spin(turns: number): void {
  for (let i = 0; i < turns; i += 1) existsSync(folder);
}
