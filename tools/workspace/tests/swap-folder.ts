// Swaps a folder with a symlink to another folder and back, as fast as possible. This program is the attacker in
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
 * Replaces the folder by the link, and then the link by the folder. Both remain for a short and varying time. The other
 * process can therefore find the folder or the link in any of its steps.
 */
function swap(turn: number): void {
  try {
    renameSync(folder, aside);
    symlinkSync(target, folder);
    swaps += 1;
    spin(turn % 7);
  } catch {
    // After the rename, the other process created the folder again. Therefore the link could not be created.
  }
  while (!isRestored()) continue;
  spin(turn === 0 ? 5_000 : (turn % 11) * 4);
}

/**
 * Returns true if the original folder is at its path again. If the other process created a folder there, this folder is
 * removed first. The removal can fail while the other process writes into it.
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
