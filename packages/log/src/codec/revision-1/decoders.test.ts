import { describe, expect, it } from 'vitest';
import { KINDS, isKind } from './decoders.ts';

describe('revision 1', () => {
  it('contains exactly these kinds', () => {
    expect(KINDS.toSorted()).toEqual([
      'agent.chosen',
      'answer.failed',
      'answer.interrupted',
      'answer.received',
      'block.quarantined',
      'branch.summarized',
      'compaction.refused',
      'context.noted',
      'epoch.opened',
      'foreign.recorded',
      'history.compacted',
      'history.pruned',
      'memory.changed',
      'mode.changed',
      'notification.received',
      'permission.decided',
      'pressure.crossed',
      'process.ended',
      'process.started',
      'prompt.denied',
      'prompt.given',
      'reasoning.changed',
      'reasoning.set',
      'request.observed',
      'request.prepared',
      'role.changed',
      'session.created',
      'skill.loaded',
      'subagent.ended',
      'subagent.started',
      'tool.abandoned',
      'tool.charged',
      'tool.failed',
      'tool.returned',
      'tool.started',
      'tools.changed',
      'turn.ended',
      'turn.resumed',
      'turn.started',
    ]);
  });

  it('does not accept inherited property names as kinds', () => {
    expect(['toString', '__proto__', 'unknown', ''].map(isKind)).toEqual([false, false, false, false]);
  });
});
