import { expect, test } from 'vitest';
import type { Event } from './event.ts';
import { CHAIN_START, callId, digest, position, timestamp } from './ids.ts';
import { namedArtifacts } from './named-artifacts.ts';

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((letter) => digest(letter.repeat(64)));
const at = timestamp('2026-11-20T09:30:00.000Z');

function named(event: Event): readonly string[] {
  return namedArtifacts({ ...event, v: 1, position: position(0), fence: 1, chain: CHAIN_START });
}

test('`namedArtifacts` returns the output and the images of a tool result', () => {
  if (a === undefined || b === undefined) throw new Error('no digest');
  const parts = [
    { type: 'text', text: c ?? '' },
    { type: 'image', artifact: a, mediaType: 'image/png', bytes: 1 },
  ] as const;
  expect(named({ kind: 'tool.returned', at, data: { call: callId('c1'), parts, output: b } })).toEqual([a, b]);
});

test('`namedArtifacts` returns the catalog row, the layers and the tools of an epoch', () => {
  if (a === undefined || b === undefined || c === undefined) throw new Error('no digest');
  const layer = { name: 'runtime', revision: '1', stability: 'global', digest: b, bytes: 1, tokens: 1 } as const;
  const opened: Event = {
    kind: 'epoch.opened',
    at,
    data: {
      number: 1,
      cause: 'initial',
      provider: 'p',
      model: 'm',
      parameters: {},
      capabilities: a,
      contract: 'tm1',
      layers: [layer],
      tools: [{ name: 't', digest: c }],
      cacheKey: 'k',
      forecast: { rewrite: 0 },
    },
  };
  expect(named(opened)).toEqual([a, b, c]);
});

test('`namedArtifacts` ignores digests of values that are not stored as artifacts', () => {
  if (d === undefined) throw new Error('no digest');
  const data = { file: 'MEMORY.md', operation: 'add', after: d, bytes: 1 } as const;
  expect(named({ kind: 'memory.changed', at, data })).toEqual([]);
});
