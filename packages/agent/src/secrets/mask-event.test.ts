import type { Event, Kind } from '@tidemark/log';
import { KINDS } from '@tidemark/log';
import { EVENTS } from '@tidemark/log/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecrets } from './create-secrets.ts';

const VALUE = 'tok-0123456789abcdef';
const { maskEvent } = createSecrets({ values: [{ name: 'A_TOKEN', value: VALUE }] });

/**
 * Fields of each event kind that are not masked. These are answers of a model, foreign records, and fields that contain
 * ids, digests, names and settings instead of free text.
 */
const LEFT: { readonly [K in Kind]: readonly string[] } = {
  'session.created': ['id', 'imported', 'model', 'parent', 'provider', 'root', 'startedBy', 'workspace'],
  'epoch.opened': [
    'also',
    'cacheKey',
    'cached',
    'capabilities',
    'cause',
    'contract',
    'edits',
    'forecast',
    'layers',
    'model',
    'padding.setting',
    'padding.skills',
    'padding.why',
    'parameters',
    'provider',
    'skills',
    'tools',
  ],
  'context.noted': ['artifact', 'cause', 'source'],
  'turn.started': ['trigger', 'compaction'],
  'turn.resumed': ['trigger', 'compaction'],
  'prompt.given': ['parts.artifact', 'parts.mediaType', 'presenter'],
  'prompt.denied': ['by', 'presenter', 'rule'],
  'notification.received': [],
  'request.prepared': [
    'account',
    'betas',
    'cached',
    'continuation',
    'digest',
    'encoder',
    'envelope',
    'extra.artifact',
    'extra.mediaType',
    'forecast',
    'kept',
    'markers',
    'purpose',
    'relation',
    'rendering',
    'responseIds',
    'sequence',
    'stream',
  ],
  // A request that another program sent is stored without a change, so that its digest is still correct.
  'request.observed': [
    'digest',
    'form',
    'front',
    'leftOut',
    'markers',
    'missing',
    'model',
    'name',
    'parameters',
    'provider',
    'purpose',
    'rest',
    'stream',
    'tail',
    'version',
  ],
  'answer.received': [
    'billed',
    'contract',
    'cost',
    'costAtMost',
    'diagnosis',
    'estimated',
    'forecast',
    'miss',
    'model',
    'parts.arguments',
    'parts.call',
    'parts.item',
    'parts.name',
    'parts.opaque',
    'parts.phase',
    'parts.provider',
    'parts.text',
    'prices',
    'provider',
    'response',
    'startedAt',
    'stop',
    'stopRaw',
    'stream',
    'transport',
    'truncated',
    'usage',
  ],
  'answer.failed': ['class', 'code', 'startedAt', 'stream', 'usage'],
  'answer.interrupted': [
    'billed',
    'by',
    'cost',
    'costAtMost',
    'estimated',
    'limit',
    'model',
    'parts.arguments',
    'parts.call',
    'parts.item',
    'parts.name',
    'parts.opaque',
    'parts.phase',
    'parts.provider',
    'parts.text',
    'prices',
    'provider',
    'startedAt',
    'stream',
    'usage',
  ],
  'tool.started': ['call', 'effect', 'name'],
  'tool.returned': [
    'call',
    'files.as',
    'files.before',
    'files.digest',
    'output',
    'parts.artifact',
    'parts.mediaType',
    'shaping',
  ],
  'tool.failed': [
    'call',
    'files.as',
    'files.before',
    'files.digest',
    'output',
    'parts.artifact',
    'parts.mediaType',
    'shaping',
  ],
  'tool.abandoned': ['call', 'reason'],
  'tool.charged': ['call', 'cost', 'model', 'service', 'usage'],
  'permission.decided': ['by', 'call', 'decision', 'rule', 'always.tool', 'kept', 'shown'],
  'mode.changed': ['by', 'mode'],
  'agent.chosen': ['as', 'name', 'tools', 'version'],
  'foreign.recorded': ['format', 'reason', 'record'],
  'tools.changed': ['added', 'as', 'removed'],
  'reasoning.changed': ['as', 'parameter', 'scope', 'setting'],
  'reasoning.set': ['parameters'],
  'role.changed': ['as', 'rendering', 'role', 'text'],
  'skill.loaded': ['call', 'name', 'reason', 'source', 'version'],
  'history.compacted': ['made', 'strategy', 'trigger'],
  'compaction.refused': ['trigger'],
  'history.pruned': ['calls', 'cause', 'cost', 'results.from', 'tier'],
  'block.quarantined': [],
  'pressure.crossed': ['tier', 'unit'],
  'memory.changed': ['after', 'before', 'file', 'operation'],
  'subagent.started': [
    'agent.effort',
    'agent.name',
    'agent.tools',
    'agent.version',
    'call',
    'child',
    'model',
    'provider',
    'role',
  ],
  'subagent.ended': ['child', 'cost', 'status'],
  'process.started': ['call', 'process'],
  'process.ended': ['by', 'process', 'signal'],
  'branch.summarized': ['session', 'strategy'],
  'turn.ended': ['error.code', 'outcome', 'totals'],
};

/** Returns the event with the secret value appended to every string. */
function spiked(event: Event): Event {
  const data: unknown = JSON.parse(JSON.stringify(event.data), (key, value: unknown) =>
    typeof value === 'string' && key !== 'type' ? `${value} ${VALUE}` : value,
  );
  return JSON.parse(JSON.stringify({ ...event, data }));
}

function survivorsIn(value: unknown, path = ''): readonly string[] {
  if (typeof value === 'string') return value.includes(VALUE) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((one) => survivorsIn(one, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => survivorsIn(one, path === '' ? key : `${path}.${key}`));
}

function isLeft(kind: Kind, path: string): boolean {
  return LEFT[kind].some((left) => path === left || path.startsWith(`${left}.`));
}

describe('masking an event', () => {
  it.each(KINDS)('removes the value from all free text of %s', async (kind) => {
    for (const event of fc.sample<Event>(EVENTS[kind], { numRuns: 60, seed: 7 })) {
      const masked = await maskEvent(spiked(event));
      expect(survivorsIn(masked.data).filter((path) => !isLeft(kind, path))).toEqual([]);
    }
  });

  it('changes nothing in events without a secret', async () => {
    for (const kind of KINDS) {
      for (const event of fc.sample<Event>(EVENTS[kind], { numRuns: 20, seed: 7 })) {
        expect(await maskEvent(event)).toEqual(event);
      }
    }
  });
});
