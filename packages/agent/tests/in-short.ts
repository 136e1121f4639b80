// Test helper: short texts for records, for tests that check an order.

import type { Recorded } from '@tidemark/log';

/** Returns short texts such as `tool.returned c1`, `tool.abandoned c2 interrupted`, `allowed c1 by rule auto/read`. */
export function inShort(records: readonly Recorded[]): readonly string[] {
  return records.map((record) => {
    switch (record.kind) {
      case 'tool.abandoned':
        return `${record.kind} ${record.data.call} ${record.data.reason}`;
      case 'permission.decided':
        return `${record.data.decision} ${record.data.call} by ${record.data.by} ${record.data.rule}`;
      case 'tool.started':
      case 'tool.returned':
      case 'tool.failed':
        return `${record.kind} ${record.data.call}`;
      default:
        return record.kind;
    }
  });
}

/**
 * Returns the text of a tool result, or an empty text if no result is found. Without `call`, the last result is used.
 */
export function wordsOf(records: readonly Recorded[], call?: string): string {
  const closing = records.findLast(
    (record) =>
      (record.kind === 'tool.returned' || record.kind === 'tool.failed') &&
      (call === undefined || record.data.call === call),
  );
  if (closing?.kind !== 'tool.returned' && closing?.kind !== 'tool.failed') return '';
  return closing.data.parts.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('');
}
