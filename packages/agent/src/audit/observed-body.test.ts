import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { Json, ObservedMarker } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { ObservedMessage, ObservedParts } from './observed-body.ts';
import { createObservedBodyWriter } from './observed-body.ts';
import { sortedJson } from './observed-json.ts';

const PARTS = {
  parameters: { betas: ['b'], model: 'm', z: 1 },
  front: { system: [{ text: 's' }], tools: [{ name: 't' }] },
};

function message(text: string): ObservedMessage {
  const value: Json = { content: [{ text, type: 'text' }], role: 'user' };
  return { value, text: sortedJson(value) };
}

function marker(...path: readonly (string | number)[]): ObservedMarker {
  return { path, value: { type: 'ephemeral' } };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

test('a body has sorted keys, no white space, and its markers at their places', () => {
  const markers = [marker('system', 0), marker('tools', 0), marker('messages', 1, 'content', 0)];
  const { text, digest } = createObservedBodyWriter().write({
    ...PARTS,
    messages: [message('a'), message('b')],
    markers,
  });
  expect(text()).toBe(
    '{"betas":["b"],"messages":[{"content":[{"text":"a","type":"text"}],"role":"user"},{"content":[{"cache_control":{"type":"ephemeral"},"text":"b","type":"text"}],"role":"user"}],"model":"m","system":[{"cache_control":{"type":"ephemeral"},"text":"s"}],"tools":[{"cache_control":{"type":"ephemeral"},"name":"t"}],"z":1}',
  );
  expect(digest).toBe(sha256(text()));
});

test('a marker whose place does not exist is left out', () => {
  const markers = [
    marker('messages', 7, 'content', 0),
    marker('messages', 0, 'content', 9),
    marker('system', 4),
    marker('nowhere'),
  ];
  const { text } = createObservedBodyWriter().write({ ...PARTS, messages: [message('a')], markers });
  expect(text()).not.toContain('cache_control');
});

test('the digest of each body of a random series is the digest of its text', () => {
  const pool = Array.from({ length: 6 }, (_, index) => message(`text ${index}`));
  const body = fc.record({
    messages: fc.array(fc.constantFrom(...pool), { maxLength: 6 }),
    marked: fc.array(fc.nat(5), { maxLength: 2 }),
    parameters: fc.constantFrom<ObservedParts['parameters']>({ model: 'm' }, { betas: ['x'], model: 'm' }),
  });
  fc.assert(
    fc.property(fc.array(body, { minLength: 1, maxLength: 8 }), (series) => {
      const writer = createObservedBodyWriter();
      for (const { messages, marked, parameters } of series) {
        const markers = marked.map((index) => marker('messages', index, 'content', 0));
        const { digest, text } = writer.write({ ...PARTS, parameters, messages, markers });
        expect(digest).toBe(sha256(text()));
      }
    }),
  );
});
