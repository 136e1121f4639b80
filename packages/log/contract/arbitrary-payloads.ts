// Random generators (fast-check arbitraries) for ids and other small values, and for the payloads of events about calls
// and answers. Each optional field is sometimes present and sometimes absent.

import type { AnswerPart, Json, Usage } from '@tidemark/core';
import fc from 'fast-check';
import type { LayerRecord } from '../src/events/context.ts';
import type { EventData, Kind } from '../src/event.ts';
import type { CallId, Chain, Digest, Money, Position, SessionId } from '../src/ids.ts';
import { callId, chain, digest, money, position, sessionId } from '../src/ids.ts';
import type { ContentPart } from '../src/parts.ts';

export const text: fc.Arbitrary<string> = fc.string({ unit: 'binary', maxLength: 40 });
export const name: fc.Arbitrary<string> = fc.string({ minLength: 1, maxLength: 12 });
export const count: fc.Arbitrary<number> = fc.nat();
const hex = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...Array.from('0123456789abcdef')), minLength: length, maxLength: length });

export const aDigest: fc.Arbitrary<Digest> = hex(64).map(digest);
export const aChain: fc.Arbitrary<Chain> = hex(16).map(chain);
export const aPosition: fc.Arbitrary<Position> = fc.nat().map(position);
export const aSession: fc.Arbitrary<SessionId> = hex(8).map(sessionId);
export const aMoney: fc.Arbitrary<Money> = fc
  .tuple(fc.nat(), fc.nat())
  .map(([whole, part]) => money(`${whole}.${part}`));
export const aCall: fc.Arbitrary<CallId> = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map(callId);
export const json: fc.Arbitrary<Json> = fc.json({ maxDepth: 3 }).map((written): Json => JSON.parse(written));
const jsonRecord = fc.dictionary(name, json, { maxKeys: 4, noNullPrototype: true });

/** Returns a random generator of records in which every field is present. */
export const all = <T extends Record<string, unknown>>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<{
  [K in keyof T]: T[K];
}> => fc.record<T>(shape, { noNullPrototype: true });

const textPart = all({ type: fc.constant('text' as const), text });
const answerText = fc.record(
  { type: fc.constant('text' as const), text, phase: text },
  { requiredKeys: ['type', 'text'], noNullPrototype: true },
);
const imagePart = fc.record(
  {
    type: fc.constant('image' as const),
    artifact: aDigest,
    mediaType: text,
    bytes: count,
    width: count,
    height: count,
  },
  { requiredKeys: ['type', 'artifact', 'mediaType', 'bytes'], noNullPrototype: true },
);
const filePart = fc.record(
  { type: fc.constant('file' as const), path: text, artifact: aDigest },
  { requiredKeys: ['type', 'path'], noNullPrototype: true },
);
const reasoningPart = fc.record(
  { type: fc.constant('reasoning' as const), opaque: text, text },
  { requiredKeys: ['type', 'text'], noNullPrototype: true },
);
const callPart = all({ type: fc.constant('call' as const), call: aCall, name, arguments: text });
const nativePart = all({ type: fc.constant('native' as const), provider: name, item: text, text });

export const contentParts: fc.Arbitrary<ContentPart[]> = fc.array(fc.oneof(textPart, imagePart, filePart), {
  maxLength: 3,
});
export const answerParts: fc.Arbitrary<AnswerPart<CallId>[]> = fc.array(
  fc.oneof(answerText, reasoningPart, callPart, nativePart),
  { maxLength: 4 },
);

const ttl = fc.constantFrom('5m' as const, '1h' as const, '30m' as const, '12h' as const);
const writes = fc.array(all({ ttl, tokens: count }), { maxLength: 2 });
const usage: fc.Arbitrary<Usage> = fc.record(
  { fresh: count, read: count, writes, input: count, written: count, answer: count, reasoning: count },
  { requiredKeys: [], noNullPrototype: true },
);
const billed = all({ session: aSession, position: aPosition, usage });
const estimated = fc.record({ input: count, output: count, cost: aMoney }, { requiredKeys: [], noNullPrototype: true });
const share = fc.integer({ min: 0, max: 1_000 }).map((thousandths) => thousandths / 1_000);
const forecast = fc.record(
  {
    read: count,
    write: count,
    fresh: count,
    unsent: count,
    reads: count,
    cost: aMoney,
    error: share,
    caching: fc.constant('unknown' as const),
  },
  { requiredKeys: ['read', 'write', 'fresh', 'unsent'], noNullPrototype: true },
);
const size = fc.record(
  { input: count, measured: count, appended: count, whole: count, since: count, media: count, error: share },
  { requiredKeys: ['input', 'measured', 'appended'], noNullPrototype: true },
);
const keptPlace = fc.record(
  { block: count, prefix: aDigest, found: fc.constant(true as const) },
  { requiredKeys: ['block', 'prefix'], noNullPrototype: true },
);
const kept = fc.record(
  {
    key: text,
    idle: count,
    age: count,
    grid: all({ first: count, step: count }),
    places: fc.array(keptPlace, { maxLength: 3 }),
  },
  { requiredKeys: ['idle', 'places'], noNullPrototype: true },
);
const sequence = all({
  parameters: all({ tools: aDigest, system: aDigest, messages: aDigest }),
  blocks: count,
  digest: aDigest,
});
const transport = fc.record(
  { kind: name, continuation: fc.boolean(), reset: text, fallback: text },
  { requiredKeys: ['kind'], noNullPrototype: true },
);
const miss = fc.record(
  {
    cause: fc.constantFrom('expired' as const, 'lookback' as const, 'unknown' as const),
    also: fc.array(fc.constantFrom('opened' as const, 'image' as const), { maxLength: 2 }),
    tokens: count,
    cost: aMoney,
  },
  { requiredKeys: ['cause', 'tokens'], noNullPrototype: true },
);
const shaping = all({ by: name, kept: count, total: count, unit: fc.constantFrom('bytes' as const, 'lines' as const) });

const touch = fc.record(
  {
    path: text,
    digest: aDigest,
    as: fc.constantFrom('read' as const, 'written' as const, 'removed' as const),
    before: fc.oneof(aDigest, fc.constant('absent' as const)),
  },
  { requiredKeys: ['path', 'as'], noNullPrototype: true },
);
const ended = fc.record(
  {
    call: aCall,
    parts: contentParts,
    output: aDigest,
    shaping,
    exit: fc.integer(),
    durationMs: count,
    files: fc.array(touch, { maxLength: 2 }),
  },
  { requiredKeys: ['call', 'parts'], noNullPrototype: true },
);

/** Random generators of payloads, indexed by kind. */
export type Payloads<K extends Kind> = { readonly [One in K]: fc.Arbitrary<EventData[One]> };

const diagnosis = fc.record(
  {
    found: fc.constantFrom('same' as const, 'miss' as const, 'unknown-response' as const),
    reason: text,
    missed: count,
  },
  { requiredKeys: ['found'], noNullPrototype: true },
);

type Here =
  | 'request.prepared'
  | 'request.observed'
  | 'answer.received'
  | 'answer.failed'
  | 'answer.interrupted'
  | 'tool.started'
  | 'tool.returned'
  | 'tool.failed'
  | 'tool.abandoned'
  | 'tool.charged'
  | 'prompt.denied'
  | 'permission.decided';

export const callPayloads: Payloads<Here> = {
  'request.prepared': fc.record(
    {
      step: count,
      attempt: count,
      stream: name,
      purpose: text,
      epoch: count,
      encoder: name,
      rendering: name,
      digest: aDigest,
      bytes: count,
      relation: fc.constantFrom('opens' as const, 'inherits' as const, 'extends' as const),
      sequence,
      extra: contentParts,
      markers: fc.array(all({ block: count, ttl, prefix: aDigest }), { maxLength: 4 }),
      kept,
      outputLimit: count,
      envelope: jsonRecord,
      responseIds: fc.array(text, { maxLength: 2 }),
      betas: fc.array(text, { maxLength: 2 }),
      counts: all({ tools: count, system: count, messages: count }),
      forecast,
      size,
      mediaBytes: count,
      account: text,
      continuation: all({ response: text, from: count, digest: aDigest, bytes: count }),
    },
    {
      requiredKeys: [
        'step',
        'attempt',
        'stream',
        'purpose',
        'epoch',
        'encoder',
        'digest',
        'bytes',
        'relation',
        'sequence',
        'markers',
        'outputLimit',
        'envelope',
        'counts',
        'forecast',
      ],
      noNullPrototype: true,
    },
  ),
  'request.observed': fc.record(
    {
      step: count,
      stream: name,
      name,
      form: name,
      provider: name,
      model: name,
      purpose: text,
      version: text,
      parameters: jsonRecord,
      front: aDigest,
      base: aPosition,
      keep: count,
      unnamed: count,
      tail: fc.array(aDigest, { maxLength: 3 }),
      missing: fc.array(aDigest, { maxLength: 2 }),
      markers: fc.array(all({ path: fc.array(fc.oneof(name, count), { maxLength: 4 }), value: json }), {
        maxLength: 3,
      }),
      digest: aDigest,
      leftOut: fc.array(text, { maxLength: 2 }),
      rest: json,
    },
    {
      requiredKeys: ['step', 'stream', 'name', 'form', 'provider', 'model', 'parameters', 'keep', 'tail', 'markers'],
      noNullPrototype: true,
    },
  ),
  'answer.received': fc.record(
    {
      step: count,
      stream: name,
      request: aPosition,
      provider: name,
      model: name,
      contract: text,
      parts: answerParts,
      stop: fc.constantFrom('end' as const, 'calls' as const, 'window' as const, 'other' as const),
      stopRaw: text,
      response: text,
      truncated: fc.constantFrom('yes' as const, 'no' as const, 'unknown' as const),
      usage,
      billed,
      startedAt: text,
      prices: text,
      cost: aMoney,
      costAtMost: aMoney,
      estimated,
      transport,
      forecast,
      miss,
      diagnosis,
    },
    {
      requiredKeys: ['step', 'stream', 'provider', 'model', 'parts', 'stop', 'truncated', 'usage'],
      noNullPrototype: true,
    },
  ),
  'answer.failed': fc.record(
    {
      step: count,
      stream: name,
      request: aPosition,
      class: fc.constantFrom('retryable' as const, 'compaction' as const, 'refused' as const, 'stop' as const),
      code: name,
      message: text,
      retry: fc.boolean(),
      usage,
      startedAt: text,
    },
    { requiredKeys: ['step', 'stream', 'class', 'code', 'message'], noNullPrototype: true },
  ),
  'answer.interrupted': fc.record(
    {
      step: count,
      stream: name,
      request: aPosition,
      by: fc.constantFrom('user' as const, 'limit' as const, 'transport' as const),
      limit: fc.constant('time' as const),
      provider: name,
      model: name,
      parts: answerParts,
      usage,
      costAtMost: aMoney,
      estimated,
      startedAt: text,
      message: text,
    },
    { requiredKeys: ['step', 'stream', 'by', 'provider', 'model', 'parts'], noNullPrototype: true },
  ),
  'tool.started': all({
    call: aCall,
    name,
    effect: fc.constantFrom('none' as const, 'read' as const, 'write' as const, 'execute' as const, 'network' as const),
  }),
  'tool.returned': ended,
  'tool.failed': ended,
  'tool.abandoned': all({
    call: aCall,
    reason: fc.constantFrom(
      'interrupted' as const,
      'unstarted' as const,
      'crashed' as const,
      'denied' as const,
      'unavailable' as const,
      'cut' as const,
    ),
  }),
  'tool.charged': fc.record(
    { call: aCall, service: name, requests: count, model: name, usage, cost: aMoney },
    { requiredKeys: ['call', 'service', 'requests'], noNullPrototype: true },
  ),
  'prompt.denied': fc.record(
    { by: fc.constant('hook' as const), rule: text, reason: text, presenter: text, steer: fc.boolean() },
    { requiredKeys: ['by', 'rule', 'reason', 'presenter'], noNullPrototype: true },
  ),
  'permission.decided': fc.record(
    {
      call: aCall,
      decision: fc.constantFrom('allowed' as const, 'denied' as const),
      by: fc.constantFrom('rule' as const, 'person' as const, 'hook' as const),
      rule: text,
      always: fc.record(
        {
          tool: text,
          commands: fc.array(fc.array(text)),
          scripts: fc.array(
            fc.record(
              { text, unsandboxed: fc.constant(true as const) },
              { requiredKeys: ['text'], noNullPrototype: true },
            ),
          ),
          patterns: fc.array(text),
          paths: fc.array(text),
          folders: fc.array(text),
          hosts: fc.array(text),
        },
        { requiredKeys: ['tool'], noNullPrototype: true },
      ),
      kept: fc.constant('project' as const),
      shown: aDigest,
    },
    { requiredKeys: ['call', 'decision', 'by'], noNullPrototype: true },
  ),
};

/** Random layers of a front. */
export const layer: fc.Arbitrary<LayerRecord> = fc.record(
  {
    name,
    revision: name,
    stability: fc.constantFrom('global' as const, 'project' as const, 'session' as const),
    digest: aDigest,
    bytes: count,
    tokens: count,
    sized: fc.constantFrom('estimated' as const, 'recorded' as const),
  },
  { noNullPrototype: true, requiredKeys: ['name', 'revision', 'stability', 'digest', 'bytes', 'tokens'] },
);
