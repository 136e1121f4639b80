// Positions of the lookback (§0.3, §1.1): every block is one; on the first-party API a run of consecutive calls is one
// position, and so is a run of consecutive results.

import type { PrefixBlock } from './prefix.ts';

/** The position number of each block of a prefix, ascending from 0. */
export function positionsOf(prefix: readonly PrefixBlock[], runsCollapse: boolean): readonly number[] {
  const positions: number[] = [];
  let position = -1;
  let run = '';
  for (const { block } of prefix) {
    const kind = block.type === 'tool_use' || block.type === 'tool_result' ? block.type : '';
    if (!runsCollapse || kind === '' || kind !== run) position += 1;
    run = kind;
    positions.push(position);
  }
  return positions;
}
