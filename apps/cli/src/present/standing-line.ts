// Describes the state of a session's latest compaction.

import type { CompactionStanding } from '@tidemark/context';

/** Returns the state as a line, such as `compacted by record 57: in force, and accepted by the provider`. */
export function standingLine({ position, standing }: CompactionStanding): string {
  return `compacted by record ${position}: ${STANDING[standing]}`;
}

const STANDING: Readonly<Record<CompactionStanding['standing'], string>> = {
  recorded: 'recorded, and not in force yet; the next request takes it up',
  'taken-up': 'no request behind it was accepted yet',
  confirmed: 'in force, and accepted by the provider',
};
