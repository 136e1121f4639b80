// Swaps a folder for a symlink to another folder and back, as fast as possible. It is the attacker in
// `races.int.test.ts`. It ends when its standard input closes or after `MAX_SWAPS` swaps, and prints the number of
// swaps.

import { existsSync, renameSync, rmSync, symlinkSync } from 'node:fs';

const MAX_SWAPS = 2_000_000;
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
  if (!stopped && swaps < MAX_SWAPS) setImmediate(swapBatch);
  else process.stdout.write(`${swaps} swaps\n`);
}

/**
 * Swaps the folder for the link once and back. The folder and the link each stay for a short and varying time. The
 * other process can therefore find the folder or the link at any of its steps.
 */
function swap(turn: number): void {
  try {
    renameSync(folder, aside);
    symlinkSync(target, folder);
    swaps += 1;
    spin(turn % 7);
  } catch {
    // The other process created the folder again after the rename, so the link could not be created.
  }
  while (!isRestored()) continue;
  spin(turn === 0 ? 5_000 : (turn % 11) * 4);
}

/**
 * Returns true if the original folder is at its path again. A folder that the other process created there is removed
 * first. The removal can fail while the other process writes into that folder.
 */
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
