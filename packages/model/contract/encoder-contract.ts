// The contract of the provider port's pure half, run by every provider: same spans, same bytes; what grows only grows;
// markers and bodies change nothing of the prefix.

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block, Marker } from '../src/block.ts';
import type { Capabilities } from '../src/capabilities.ts';
import type { Hash } from '../src/hash.ts';
import type { ChangePart } from '../src/parts.ts';
import type { Encoder, Envelope, Lowering } from '../src/provider.ts';
import type { Front, Span } from '../src/span.ts';
import type { Addressee } from './random-history.ts';
import { changesOf, PICTURE, randomFront, randomHistory, TOOL } from './random-history.ts';

export { PICTURE, randomFront, randomHistory, TOOL } from './random-history.ts';
export type { Addressee } from './random-history.ts';

/** What a provider hands in to be examined. */
export interface EncoderSubject {
  readonly encoder: Encoder;
  /** The provider's name in spans, and a model of it. */
  readonly to: Addressee;
  /** What the row of such a model has otherwise than one that takes everything. */
  readonly row?: Partial<Capabilities>;
}

/** The part that a block of each sort is made from. */
const HELD: { readonly [holds in Block['holds']]: string } = {
  tool: 'none',
  text: 'text',
  image: 'image',
  thinking: 'reasoning',
  call: 'call',
  result: 'result',
  native: 'native',
  change: 'change',
};

const RUNS = { numRuns: 150 } as const;

/** The claims that every encoder keeps. */
export function describeEncoderContract(name: string, subject: EncoderSubject): void {
  const { encoder, to } = subject;
  const lowering = loweringFor(to, subject.row);
  const markersFrom = (blocks: readonly Block[], seed: Iterator<number>): readonly Marker[] =>
    randomMarkers(blocks, lowering.capabilities.ttls, seed);
  const lower = (spans: readonly Span[]): readonly Block[] =>
    spans.flatMap((span) => encoder.lowerSpan(span, lowering));
  const appends = encoder.appends ?? ['system', 'reasoning', 'tools'];
  const histories = randomHistory(to, appends);
  const requests = fc.record({ front: randomFront(to), spans: histories, seed: fc.infiniteStream(fc.nat()) });

  describe(`${name} keeps the encoder contract`, () => {
    it('names its revision', () => {
      expect(encoder.revision).toMatch(/^[a-z-]+\/\d+$/);
    });

    it('lowers the same spans to the same blocks', () => {
      fc.assert(
        fc.property(requests, ({ front, spans }) => {
          expect(lower(structuredClone(spans))).toEqual(lower(spans));
          expect(encoder.lowerFront(structuredClone(front), lowering)).toEqual(encoder.lowerFront(front, lowering));
        }),
        RUNS,
      );
    });

    it('puts the front before the messages, outside every group', () => {
      fc.assert(
        fc.property(requests, ({ front, spans }) => {
          const sections = ['tools', 'system', 'messages'];
          const blocks = [...encoder.lowerFront(front, lowering).blocks, ...lower(spans)];
          const order = blocks.map(({ section }) => sections.indexOf(section));
          expect(order).toEqual(order.toSorted((a, b) => a - b));
          for (const { section, group } of blocks) expect(group === -1).toBe(section !== 'messages');
        }),
        RUNS,
      );
    });

    it('gives each block the group, the origin and at most one turn of its span', () => {
      fc.assert(
        fc.property(histories, (spans) => {
          for (const span of spans) {
            const blocks = encoder.lowerSpan(span, lowering);
            for (const { group, origin } of blocks) expect([group, origin]).toEqual([span.group, span.origin]);
            const opened = blocks.flatMap(({ opensTurn }, index) => (opensTurn ? [index] : []));
            expect(opened).toEqual(span.opensTurn && blocks.length > 0 ? [0] : []);
          }
        }),
        RUNS,
      );
    });

    it('says of each block which part of its span it was made from', () => {
      fc.assert(
        fc.property(histories, (spans) => {
          for (const span of spans)
            for (const { part = -1, holds } of encoder.lowerSpan(span, lowering)) {
              const { type } = span.parts[part] ?? { type: 'none' };
              // An image or a native item that cannot be sent is told in words.
              expect(holds === 'text' ? ['text', 'image', 'native'] : [HELD[holds]]).toContain(type);
            }
        }),
        RUNS,
      );
    });

    it('finds each block of the messages at one place, in order', () => {
      fc.assert(
        fc.property(requests, ({ front, spans }) => {
          const own = encoder.lowerFront(front, lowering).blocks;
          const blocks = [...own, ...lower(spans)];
          const found = blocks.flatMap((_, message) => encoder.locate?.({ message }, blocks) ?? []);
          expect(found.filter((index) => index >= own.length)).toEqual([...blocks.keys()].slice(own.length));
        }),
        RUNS,
      );
    });

    it('leaves out blank text, and reasoning that nothing follows', () => {
      const span = { ...emptySpan, role: 'assistant' } as const;
      const thought = {
        type: 'reasoning',
        text: 'hm',
        opaque: '{"type":"thinking","thinking":"hm","signature":"s"}',
        ...to,
      } as const;
      const parts = [{ type: 'text', text: ' \n' } as const, thought, { type: 'text', text: '' } as const];
      expect(encoder.lowerSpan({ ...span, parts }, lowering)).toEqual([]);
    });

    it('has a form for every change that it says it can append, and shows what it is about', () => {
      for (const part of changesOf(appends)) {
        const blocks = encoder.lowerSpan({ ...emptySpan, role: 'system', parts: [part] }, lowering);
        const shown = blocks.map(({ head, tail }) => head + tail).join('\n');
        for (const word of wordsOf(part)) expect(shown).toContain(word);
        for (const { holds, opensTurn } of blocks) expect([holds, opensTurn]).toEqual(['change', false]);
      }
    });

    it('sends every block in order, with head and tail as they stand in the prefix', () => {
      fc.assert(
        fc.property(requests, ({ front, spans, seed }) => {
          const { blocks, body } = oneBody(front, spans, (among) => markersFrom(among, seed));
          let at = 0;
          for (const piece of blocks.flatMap(({ head, tail }) => [head, tail])) {
            const found = body.indexOf(piece.toWellFormed(), at);
            expect(found).toBeGreaterThanOrEqual(at);
            at = found + piece.length;
          }
        }),
        RUNS,
      );
    });

    it('writes, as a history grows and markers move, what a new writer would write', () => {
      fc.assert(
        fc.property(requests, ({ front, spans, seed }) => {
          const lowered = encoder.lowerFront(front, lowering);
          const writer = encoder.join(lowered, sha256);
          for (const count of closedLengths(spans)) {
            const blocks = [...lowered.blocks, ...lower(spans.slice(0, count))];
            const markers = markersFrom(blocks, seed);
            const grown = writer.write(blocks, markers, envelope);
            const fresh = encoder.join(lowered, sha256).write(blocks, markers, envelope);
            expect(encoder.join(lowered, sha256).digest(blocks, markers, envelope)).toBe(fresh.digest);
            expect(Buffer.from(grown.body).toString()).toBe(Buffer.from(fresh.body).toString());
            expect(grown.digest).toBe(createHash('sha256').update(grown.body).digest('hex'));
          }
        }),
        RUNS,
      );
    });

    it('never changes a body that it has given away', () => {
      fc.assert(
        fc.property(requests, ({ front, spans, seed }) => {
          const lowered = encoder.lowerFront(front, lowering);
          const writer = encoder.join(lowered, sha256);
          const given = closedLengths(spans).map((count) => {
            const blocks = [...lowered.blocks, ...lower(spans.slice(0, count))];
            return writer.write(blocks, markersFrom(blocks, seed), envelope);
          });
          for (const { body, digest } of given) expect(createHash('sha256').update(body).digest('hex')).toBe(digest);
        }),
        RUNS,
      );
    });

    it('refuses a call without its result, and a result without its call', () => {
      const lowered = encoder.lowerFront(emptyFront, lowering);
      const call = { type: 'call', call: 'c1', name: 'read', arguments: '{}' } as const;
      const result = { type: 'result', call: 'c1', error: false, content: [] } as const;
      const asked = encoder.lowerSpan({ ...emptySpan, role: 'assistant', parts: [call] }, lowering);
      const told = encoder.lowerSpan({ ...emptySpan, role: 'user', group: 1, parts: [result] }, lowering);
      const said = encoder.lowerSpan(
        { ...emptySpan, role: 'user', group: 1, parts: [{ type: 'text', text: 'go on' }] },
        lowering,
      );
      const write = (blocks: readonly Block[]): unknown =>
        encoder.join(lowered, sha256).write([...lowered.blocks, ...blocks], [], envelope);
      const unclosed = expect.objectContaining({ code: 'provider/unclosed-history' });
      expect(() => write([...asked, ...told])).not.toThrow();
      for (const blocks of [asked, told, [...asked, ...said, ...told], [...asked, ...told, ...told]]) {
        expect(() => write(blocks)).toThrow(unclosed);
      }
    });

    function oneBody(front: Front, spans: readonly Span[], mark: (blocks: readonly Block[]) => readonly Marker[]) {
      const lowered = encoder.lowerFront(front, lowering);
      const blocks = [...lowered.blocks, ...lower(spans)];
      const { body } = encoder.join(lowered, sha256).write(blocks, mark(blocks), envelope);
      return { blocks, body: Buffer.from(body).toString() };
    }
  });
}

/** SHA-256 as the port wants it. */
export function sha256(): Hash {
  return wrap(createHash('sha256'));
}

function wrap(hash: ReturnType<typeof createHash>): Hash {
  return {
    update: (data) => wrap(hash.update(data)),
    copy: () => wrap(hash.copy()),
    hex: () => hash.digest('hex'),
  };
}

/** Lowering for a model that takes everything, with the contract's one picture among the materials. */
export function loweringFor(to: Addressee, row: Partial<Capabilities> = {}): Lowering {
  const capabilities: Capabilities = {
    provider: to.provider,
    model: to.model,
    aliases: [],
    inputLimit: 200_000,
    window: { tokens: 200_000, sharedWithOutput: 'stops' },
    outputLimit: 64_000,
    floor: 1_024,
    markers: 'explicit',
    slots: 4,
    lookback: 20,
    runsCollapse: true,
    ttls: ['5m', '1h'],
    renderParameters: {},
    thinkingStripped: 'never',
    prefixCheck: false,
    appends: ['system'],
    prefill: false,
    forcedToolChoice: true,
    prewarm: true,
    promotes: 'unverified',
    prices: [],
    source: 'a test',
    asOf: '2026-11-21',
    ...row,
  };
  const bytes = new Uint8Array([1, 2, 3]);
  const definition = new TextEncoder().encode(TOOL.definition);
  return {
    model: to.model,
    capabilities,
    materials: (digest) => (digest === TOOL.digest ? definition : digest === PICTURE.artifact ? bytes : undefined),
    estimate: (text) => Math.ceil(text.length / 4),
  };
}

const envelope: Envelope = { outputLimit: 1_000, fields: { metadata: { user_id: 'u' } }, betas: [] };
const emptyFront: Front = { model: 'model', parameters: {}, tools: [], system: [] };
const emptySpan = {
  stability: 'session',
  origin: { from: 'event', session: 'session', position: 0 },
  ordinal: 0,
  group: 0,
  opensTurn: false,
} as const;

// Lengths at which no call is open: a request is only ever built there.
function closedLengths(spans: readonly Span[]): readonly number[] {
  const open = new Set<string>();
  return spans.flatMap((span, index) => {
    for (const part of span.parts) {
      if (part.type === 'call') open.add(part.call);
      if (part.type === 'result') open.delete(part.call);
    }
    return open.size === 0 && spans[index + 1]?.group !== span.group ? [index + 1] : [];
  });
}

// Up to four markers, mostly near the end as a plan has them, sometimes anywhere.
function randomMarkers(
  blocks: readonly Block[],
  [short = '5m', long = short]: Capabilities['ttls'],
  seed: Iterator<number>,
): readonly Marker[] {
  const markable = blocks.flatMap((block, index) => (block.markable ? [index] : []));
  const count = Math.min(draw(seed) % 5, markable.length);
  const chosen = Array.from({ length: count }, () => {
    const back = draw(seed) % 3 === 0 ? draw(seed) : draw(seed) % 4;
    return markable[markable.length - 1 - (back % markable.length)] ?? 0;
  });
  const ordered = [...new Set(chosen)].toSorted((a, b) => a - b);
  return ordered.map((block) => ({ block, ttl: draw(seed) % 2 === 0 ? short : long }));
}

function draw(seed: Iterator<number>): number {
  const next = seed.next();
  return next.done === true ? 0 : next.value;
}

/** What a change is about, in words that its blocks show. */
function wordsOf(part: ChangePart): readonly string[] {
  switch (part.change) {
    case 'tools':
      return [...part.added.map((one) => one.name), ...part.removed].map((name) => JSON.stringify(name));
    case 'reasoning':
      return [JSON.stringify(part.setting)];
    case 'role':
      return [part.text];
  }
}
