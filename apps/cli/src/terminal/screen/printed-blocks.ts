// Printed blocks: prints each final block once, into the scrollback of the terminal.

import { Static, Text } from 'ink';
import type { ReactElement } from 'react';
import { createElement as h, useLayoutEffect, useRef, useState } from 'react';

import type { Look } from '../../frame/shown.ts';
import { blockLines } from '../drawing/block-lines.ts';
import { rowsOf } from '../drawing/rows.ts';
import type { PrintedBlock } from '../state/blocks.ts';
import type { GrowingList } from '../state/growing-list.ts';

/** Properties of the printed blocks. */
export interface PrintedBlocksProperties {
  readonly blocks: GrowingList<PrintedBlock>;
  /** Number of first blocks that are not printed. */
  readonly from: number;
  /** True to print no new block for now. */
  readonly held: boolean;
  readonly columns: number;
  readonly colour: Look;
}

/** Maximum number of printed blocks that are passed to Ink again when a new block arrives. */
const BATCH = 64;

/**
 * Prints each block once. Ink compares the blocks that it gets with those that it has printed. It gets only the latest
 * blocks, so the work for a new block does not depend on the length of the conversation.
 */
export function PrintedBlocks({ blocks, from, held, columns, colour }: PrintedBlocksProperties): ReactElement {
  const [begin, setBegin] = useState(from);
  const printed = useRef(from);
  if (!held) printed.current = blocks.length;
  const end = printed.current;
  useLayoutEffect(() => {
    // This effect runs after Ink has written the blocks.
    if (end - begin > BATCH) setBegin(end);
  }, [begin, end]);
  return h(Static<PrintedBlock>, {
    key: begin,
    items: [...blocks.from(begin, end)],
    children: (block) =>
      h(Text, { key: block.key }, rowsOf(blockLines(block, { columns }), columns, colour).join('\n')),
  });
}
