// The subagents of a session, as its log tells of them: whom it started, and how each ended.

import { defined } from '@tidemark/core';
import type { Recorded, SubagentEnded, SubagentStarted } from '@tidemark/log';

import { dollars } from '../frame/numbers.ts';

/** One of them. Without a status it is at work, or was cut and is ended with the next turn. */
export interface ShownSubagent extends Pick<SubagentStarted, 'child' | 'role' | 'task'> {
  readonly status: SubagentEnded['status'] | null;
  readonly cost?: string;
}

/** With one more record. */
export function withSubagent(shown: readonly ShownSubagent[], record: Recorded): readonly ShownSubagent[] {
  if (record.kind === 'subagent.started') {
    const { child, role, task } = record.data;
    return [...shown, { child, role, task, status: null }];
  }
  if (record.kind !== 'subagent.ended') return shown;
  const { child, status, cost } = record.data;
  return shown.map((one) => (one.child === child ? { ...one, status, ...defined({ cost }) } : one));
}

/** `subagent 3f2a… (reviewer): completed, $0.0123`. */
export function subagentLine({ child, role, status, cost }: ShownSubagent): string {
  const price = cost === undefined ? '' : `, ${dollars(cost)}`;
  return `subagent ${child} (${role}): ${status ?? 'not ended'}${price}`;
}
