// Random generators (fast-check arbitraries) for events of every kind.

import fc from 'fast-check';
import type { Event, EventOf, Kind } from '../src/event.ts';
import type { Timestamp, TurnId } from '../src/ids.ts';
import { timestamp, turnId } from '../src/ids.ts';
import type { Payloads } from './arbitrary-payloads.ts';
import {
  aDigest,
  aMoney,
  aPosition,
  aSession,
  all,
  callPayloads,
  contentParts,
  count,
  json,
  layer,
  name,
  text,
} from './arbitrary-payloads.ts';
import { sessionPayloads } from './arbitrary-session.ts';

const some = { noNullPrototype: true } as const;
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value));
const tool = all({ name, digest: aDigest });
const range = all({ from: aPosition, to: aPosition });
const strategy = fc.constantFrom('deterministic' as const, 'model-assisted' as const, 'recorded' as const);
/** Random timestamps between the years 2000 and 2100. */
export const aTime: fc.Arbitrary<Timestamp> = fc
  .date({ min: new Date('2000-01-01T00:00:00.000Z'), max: new Date('2100-01-01T00:00:00.000Z'), noInvalidDate: true })
  .map((date) => timestamp(date.toISOString()));

const entry = {
  block: count,
  prefix: aDigest,
  parameters: all({ tools: aDigest, system: aDigest, messages: aDigest }),
  key: name,
  account: name,
  tokens: count,
  ttl: fc.constantFrom('5m' as const, '1h' as const),
  kept: fc.record({ idle: count, age: count, born: aTime }, { ...some, requiredKeys: ['idle', 'born'] }),
  at: aTime,
};

const frontEntry = fc.record(
  { section: fc.constantFrom('tools' as const, 'system' as const), ...entry },
  { ...some, requiredKeys: ['section', 'block', 'prefix', 'parameters', 'at'] },
);

const sharedEntry = fc.record(
  {
    section: fc.constantFrom('tools' as const, 'system' as const, 'messages' as const),
    of: count,
    images: fc.boolean(),
    ...entry,
  },
  { ...some, requiredKeys: ['section', 'of', 'block', 'prefix', 'parameters', 'at'] },
);

const contextPayloads: Payloads<
  | 'epoch.opened'
  | 'context.noted'
  | 'prompt.given'
  | 'notification.received'
  | 'tools.changed'
  | 'reasoning.changed'
  | 'reasoning.set'
  | 'role.changed'
  | 'skill.loaded'
> = {
  'epoch.opened': fc.record(
    {
      number: count,
      cause: fc.constantFrom('initial' as const, 'model' as const, 'compaction' as const, 'quarantine' as const),
      also: fc.array(fc.constantFrom('tools' as const, 'role' as const), { maxLength: 2 }),
      provider: name,
      model: name,
      parameters: fc.dictionary(name, json, { maxKeys: 3, noNullPrototype: true }),
      capabilities: aDigest,
      contract: name,
      layers: fc.array(layer, { maxLength: 3 }),
      tools: fc.array(tool, { maxLength: 3 }),
      toolSize: all({ tokens: count, bytes: count }),
      skills: aDigest,
      checkpoint: aPosition,
      prunings: fc.array(aPosition, { maxLength: 2 }),
      quarantines: fc.array(aPosition, { maxLength: 2 }),
      cacheKey: text,
      forecast: fc.record({ rewrite: count, cost: aMoney }, { ...some, requiredKeys: ['rewrite'] }),
      padding: fc.record(
        {
          setting: fc.constantFrom('auto' as const, 'always' as const, 'never' as const),
          natural: count,
          padded: count,
          floor: count,
          others: count,
          calls: count,
          gain: fc.integer(),
          why: fc.constantFrom('pays' as const, 'costs' as const, 'unknown-price' as const),
          skills: fc.array(text, { maxLength: 2 }),
        },
        { ...some, requiredKeys: ['setting', 'natural', 'why'] },
      ),
      cached: fc.array(frontEntry, { maxLength: 2 }),
      edits: fc.array(all({ digest: aDigest, tokens: count, begins: count }), { maxLength: 2 }),
    },
    {
      ...some,
      requiredKeys: [
        'number',
        'cause',
        'provider',
        'model',
        'parameters',
        'capabilities',
        'contract',
        'layers',
        'tools',
        'cacheKey',
        'forecast',
      ],
    },
  ),
  'context.noted': fc.record(
    {
      source: name,
      revision: name,
      cause: fc.constantFrom('initial' as const, 'changed' as const, 'compacted-away' as const),
      urgent: fc.boolean(),
      body: text,
      artifact: aDigest,
    },
    { ...some, requiredKeys: ['source', 'revision', 'cause'] },
  ),
  'prompt.given': fc.record(
    { parts: contentParts, presenter: name, steer: fc.boolean() },
    { ...some, requiredKeys: ['parts', 'presenter'] },
  ),
  'notification.received': all({ source: name, body: text, provenance: text }),
  'tools.changed': all({
    added: fc.array(tool, { maxLength: 2 }),
    removed: fc.array(name, { maxLength: 2 }),
    as: fc.constantFrom('appended' as const, 'queued' as const),
  }),
  'reasoning.changed': fc.record(
    {
      parameter: name,
      setting: text,
      as: fc.constantFrom('appended' as const, 'epoch' as const),
      scope: fc.constantFrom('turn' as const, 'lasting' as const),
    },
    { ...some, requiredKeys: ['setting', 'as', 'scope'] },
  ),
  'reasoning.set': all({ parameters: fc.dictionary(name, json, { maxKeys: 2, noNullPrototype: true }) }),
  'role.changed': fc.record(
    { role: aDigest, text, as: fc.constant('appended' as const), rendering: name },
    { ...some, requiredKeys: ['text', 'as'] },
  ),
  'skill.loaded': fc.record(
    {
      name,
      version: text,
      reason: fc.constantFrom('always' as const, 'on_demand' as const, 'auto_suggested' as const),
      tokens: count,
      source: text,
      call: text,
    },
    { ...some, requiredKeys: ['name', 'version', 'reason', 'tokens', 'source'] },
  ),
};

const pressurePayloads: Payloads<
  | 'history.compacted'
  | 'compaction.refused'
  | 'history.pruned'
  | 'block.quarantined'
  | 'pressure.crossed'
  | 'branch.summarized'
> = {
  'history.compacted': fc.record(
    {
      range,
      strategy,
      trigger: name,
      checkpoint: text,
      limitations: fc.array(text, { maxLength: 2 }),
      fields: fc.dictionary(name, json, { maxKeys: 3, noNullPrototype: true }),
      keeps: fc.array(aPosition, { maxLength: 2 }),
      shortens: count,
      before: number,
      after: number,
      made: json,
      fallback: text,
    },
    { ...some, requiredKeys: ['range', 'strategy', 'trigger', 'checkpoint', 'limitations'] },
  ),
  'compaction.refused': all({
    trigger: name,
    reason: text,
    sizes: fc.dictionary(fc.constantFrom('floor', 'input'), number, some),
  }),
  'history.pruned': fc.record(
    {
      calls: fc.array(name, { maxLength: 2 }),
      results: fc.array(
        fc.record(
          { position: aPosition, kept: count, from: fc.constant('end' as const) },
          { ...some, requiredKeys: ['position', 'kept'] },
        ),
        { maxLength: 2 },
      ),
      freed: number,
      cost: aMoney,
      breakEven: number,
      waits: number,
      tier: fc.constantFrom('calm' as const, 'warning' as const),
      cause: text,
    },
    { ...some, requiredKeys: ['calls', 'freed', 'cause'] },
  ),
  'block.quarantined': all({ origin: all({ position: aPosition, part: count }), reason: text, stub: text }),
  'pressure.crossed': fc.record(
    {
      tier: fc.constantFrom('calm' as const, 'advisory' as const, 'warning' as const, 'critical' as const),
      ratio: number,
      limit: count,
      input: count,
      unit: fc.constant('bytes' as const),
      checkpoint: aPosition,
    },
    { ...some, requiredKeys: ['tier', 'ratio', 'limit', 'input'] },
  ),
  'branch.summarized': fc.record(
    { session: aSession, range, strategy, text, limitations: fc.array(text, { maxLength: 2 }) },
    { ...some, requiredKeys: ['range', 'strategy', 'text', 'limitations'] },
  ),
};

const requests = fc
  .tuple(callPayloads['request.prepared'], fc.option(sharedEntry, { nil: undefined }))
  .map(([data, cached]) => ({ ...data, ...(cached && { cached }) }));

const PAYLOADS: Payloads<Kind> = {
  ...sessionPayloads,
  ...contextPayloads,
  ...pressurePayloads,
  ...callPayloads,
  'request.prepared': requests,
};
const aTurn: fc.Arbitrary<TurnId> = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).map(turnId);

function arbitraryOf<K extends Kind>(kind: K): fc.Arbitrary<EventOf<K>> {
  return fc.record(
    { kind: fc.constant(kind), at: aTime, turn: aTurn, data: PAYLOADS[kind] },
    { ...some, requiredKeys: ['kind', 'at', 'data'] },
  );
}

/** Random generators of events, indexed by kind. */
export const EVENTS: { readonly [K in Kind]: fc.Arbitrary<EventOf<K>> } = {
  'session.created': arbitraryOf('session.created'),
  'epoch.opened': arbitraryOf('epoch.opened'),
  'context.noted': arbitraryOf('context.noted'),
  'turn.started': arbitraryOf('turn.started'),
  'turn.resumed': arbitraryOf('turn.resumed'),
  'prompt.given': arbitraryOf('prompt.given'),
  'prompt.denied': arbitraryOf('prompt.denied'),
  'notification.received': arbitraryOf('notification.received'),
  'request.prepared': arbitraryOf('request.prepared'),
  'request.observed': arbitraryOf('request.observed'),
  'answer.received': arbitraryOf('answer.received'),
  'answer.failed': arbitraryOf('answer.failed'),
  'answer.interrupted': arbitraryOf('answer.interrupted'),
  'tool.started': arbitraryOf('tool.started'),
  'tool.returned': arbitraryOf('tool.returned'),
  'tool.failed': arbitraryOf('tool.failed'),
  'tool.abandoned': arbitraryOf('tool.abandoned'),
  'tool.charged': arbitraryOf('tool.charged'),
  'permission.decided': arbitraryOf('permission.decided'),
  'mode.changed': arbitraryOf('mode.changed'),
  'agent.chosen': arbitraryOf('agent.chosen'),
  'foreign.recorded': arbitraryOf('foreign.recorded'),
  'tools.changed': arbitraryOf('tools.changed'),
  'reasoning.changed': arbitraryOf('reasoning.changed'),
  'reasoning.set': arbitraryOf('reasoning.set'),
  'role.changed': arbitraryOf('role.changed'),
  'skill.loaded': arbitraryOf('skill.loaded'),
  'history.compacted': arbitraryOf('history.compacted'),
  'compaction.refused': arbitraryOf('compaction.refused'),
  'history.pruned': arbitraryOf('history.pruned'),
  'block.quarantined': arbitraryOf('block.quarantined'),
  'pressure.crossed': arbitraryOf('pressure.crossed'),
  'memory.changed': arbitraryOf('memory.changed'),
  'subagent.started': arbitraryOf('subagent.started'),
  'subagent.ended': arbitraryOf('subagent.ended'),
  'process.started': arbitraryOf('process.started'),
  'process.ended': arbitraryOf('process.ended'),
  'branch.summarized': arbitraryOf('branch.summarized'),
  'turn.ended': arbitraryOf('turn.ended'),
};

/** Random events that are valid at any position after the first record. `session.created` is excluded. */
export const anEvent: fc.Arbitrary<Event> = fc.oneof(
  ...Object.values(EVENTS).filter((arbitrary) => arbitrary !== EVENTS['session.created']),
);
