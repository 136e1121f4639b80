// Random generators for the payloads of events about sessions, turns, subagents and processes.

import fc from 'fast-check';
import type { Payloads } from './arbitrary-payloads.ts';
import { aCall, aChain, aDigest, aPosition, aSession, all, count, json, name, text } from './arbitrary-payloads.ts';

const some = { noNullPrototype: true } as const;
const outcome = fc.constantFrom('completed' as const, 'failed' as const, 'interrupted' as const, 'limited' as const);
const began = fc.record(
  {
    trigger: fc.constantFrom('user' as const, 'notification' as const, 'subagent' as const, 'schedule' as const),
    compaction: fc.constantFrom('manual' as const, 'preflight' as const, 'auto' as const),
  },
  { ...some, requiredKeys: ['trigger'] },
);
const totals = fc.record(
  { steps: count, calls: count, taken: fc.record({ tokens: count }, { noNullPrototype: true }) },
  { requiredKeys: ['steps', 'calls'], noNullPrototype: true },
);
const chosen = { name, version: name, role: text, tools: fc.array(name, { maxLength: 2 }) };

export const sessionPayloads: Payloads<
  | 'session.created'
  | 'turn.started'
  | 'turn.resumed'
  | 'turn.ended'
  | 'mode.changed'
  | 'agent.chosen'
  | 'foreign.recorded'
  | 'memory.changed'
  | 'subagent.started'
  | 'subagent.ended'
  | 'process.started'
  | 'process.ended'
> = {
  'session.created': fc.record(
    {
      id: aSession,
      root: aSession,
      parent: all({ session: aSession, position: aPosition, chain: aChain }),
      startedBy: fc.record(
        { session: aSession, call: aCall, depth: count, agent: name, model: name },
        { ...some, requiredKeys: ['session', 'call', 'depth'] },
      ),
      workspace: text,
      title: text,
      imported: fc.record(
        { format: name, source: text, digest: aDigest, bytes: count },
        { ...some, requiredKeys: ['format', 'source'] },
      ),
      model: name,
      provider: name,
    },
    { ...some, requiredKeys: ['id', 'root', 'workspace'] },
  ),
  'turn.started': began,
  'turn.resumed': began,
  'turn.ended': fc.record(
    { outcome, error: all({ code: name, message: text, next: text }), totals },
    { ...some, requiredKeys: ['outcome'] },
  ),
  'mode.changed': all({
    mode: fc.constantFrom('read-only' as const, 'ask' as const, 'accept-edits' as const, 'auto' as const),
    by: fc.constantFrom('user' as const, 'settings' as const),
  }),
  'agent.chosen': fc.record(
    { ...chosen, as: fc.constant('note' as const) },
    { ...some, requiredKeys: ['name', 'version', 'role'] },
  ),
  'foreign.recorded': fc.record(
    { format: name, line: count, record: json, reason: text },
    { ...some, requiredKeys: ['format', 'line', 'record'] },
  ),
  'memory.changed': fc.record(
    {
      file: text,
      operation: fc.constantFrom('add' as const, 'replace' as const, 'consolidate' as const),
      before: aDigest,
      after: aDigest,
      bytes: count,
    },
    { ...some, requiredKeys: ['file', 'operation', 'after', 'bytes'] },
  ),
  'subagent.started': fc.record(
    {
      child: aSession,
      role: text,
      task: text,
      call: aCall,
      agent: fc.record({ ...chosen, effort: name }, { ...some, requiredKeys: ['name', 'version', 'role'] }),
      model: name,
      provider: name,
    },
    { ...some, requiredKeys: ['child', 'role', 'task'] },
  ),
  'subagent.ended': fc.record(
    { child: aSession, status: outcome, summary: text, cost: text, totals },
    { ...some, requiredKeys: ['child', 'status', 'summary'] },
  ),
  'process.started': fc.record(
    { process: name, command: text, call: aCall },
    { ...some, requiredKeys: ['process', 'command'] },
  ),
  'process.ended': fc.record(
    {
      process: name,
      exit: count,
      signal: name,
      by: fc.constantFrom('itself' as const, 'model' as const, 'user' as const, 'session' as const, 'lost' as const),
    },
    { ...some, requiredKeys: ['process', 'by'] },
  ),
};
