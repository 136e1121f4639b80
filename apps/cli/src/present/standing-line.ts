// Describes the state of a session's latest compaction.

import type { CompactionStanding } from '@tidemark/context';

/** Returns the state as a line, such as `compacted by record 57: in use and accepted by the provider`. */
export function standingLine({ position, standing }: CompactionStanding): string {
  return `compacted by record ${position}: ${STANDING[standing]}`;
}

const STANDING: Readonly<Record<CompactionStanding['standing'], string>> = {
  recorded: 'recorded but not used yet; the next request uses it',
  'taken-up': 'in use, but no request with it was accepted yet',
  confirmed: 'in use and accepted by the provider',
};
