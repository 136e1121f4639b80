// Collects the subagents of a session from its log, with the result of each one.

import { defined } from '@tidemark/core';
import type { Recorded, SubagentEnded, SubagentStarted } from '@tidemark/log';

import { dollars } from '../frame/numbers.ts';

/**
 * One subagent. The status `null` means that the subagent is still running or was interrupted. If it was interrupted,
 * the next turn will end it.
 */
export interface ShownSubagent extends Pick<SubagentStarted, 'child' | 'role' | 'task'> {
  readonly status: SubagentEnded['status'] | null;
  readonly cost?: string;
}

/** Returns the list of subagents after one more record. */
export function withSubagent(shown: readonly ShownSubagent[], record: Recorded): readonly ShownSubagent[] {
  if (record.kind === 'subagent.started') {
    const { child, role, task } = record.data;
    return [...shown, { child, role, task, status: null }];
  }
  if (record.kind !== 'subagent.ended') return shown;
  const { child, status, cost } = record.data;
  return shown.map((one) => (one.child === child ? { ...one, status, ...defined({ cost }) } : one));
}

/** Formats a subagent as a line: `subagent 3f2a… (reviewer): completed, $0.0123`. */
export function subagentLine({ child, role, status, cost }: ShownSubagent): string {
  const price = cost === undefined ? '' : `, ${dollars(cost)}`;
  return `subagent ${child} (${role}): ${status ?? 'not ended'}${price}`;
}
