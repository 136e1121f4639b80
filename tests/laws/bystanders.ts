// Facts that no model sees: they may stand anywhere and change no byte.

import type { Event, Timestamp } from '@tidemark/log';
import { callId, digest, sessionId } from '@tidemark/log';

/** One of ten such facts. */
export function bystander(kind: number, at: Timestamp): Event {
  const made = BYSTANDERS[kind % BYSTANDERS.length] ?? BYSTANDERS[0];
  return made(at);
}

const call = callId('c');
const child = sessionId('child');
const after = digest('0'.repeat(64));

const BYSTANDERS: readonly [(at: Timestamp) => Event, ...((at: Timestamp) => Event)[]] = [
  (at) => ({ kind: 'tool.started', at, data: { call, name: 'read', effect: 'read' } }),
  (at) => ({ kind: 'permission.decided', at, data: { call, decision: 'allowed', by: 'rule', rule: 'all' } }),
  (at) => ({ kind: 'mode.changed', at, data: { mode: 'auto', by: 'user' } }),
  (at) => ({ kind: 'foreign.recorded', at, data: { format: 'test', line: 1, record: { kind: 'none' } } }),
  (at) => ({
    kind: 'skill.loaded',
    at,
    data: { name: 's', version: '1', reason: 'on_demand', tokens: 3, source: 'test' },
  }),
  (at) => ({ kind: 'compaction.refused', at, data: { trigger: 'test', reason: 'no gain', sizes: { before: 1 } } }),
  (at) => ({ kind: 'pressure.crossed', at, data: { tier: 'advisory', ratio: 0.7, limit: 10, input: 7 } }),
  (at) => ({ kind: 'memory.changed', at, data: { file: 'm', operation: 'add', after, bytes: 1 } }),
  (at) => ({ kind: 'subagent.started', at, data: { child, role: 'scout', task: 'look' } }),
  (at) => ({ kind: 'history.pruned', at, data: { calls: [], freed: 0, cause: 'test' } }),
];
