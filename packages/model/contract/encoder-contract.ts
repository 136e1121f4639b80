// Contract suite for the encoder, the part of the provider interface without I/O. Every provider runs the suite. The
// suite checks three claims. The same spans give the same bytes. A growing history only extends the prefix. Markers and
// writing the request body do not change the prefix.

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

/** Encoder under test, with the provider, model and capabilities that its inputs use. */
export interface EncoderSubject {
  readonly encoder: Encoder;
  /** Provider name that the generated spans contain, and one model of that provider. */
  readonly to: Addressee;
  /** Capabilities of the tested model that differ from the defaults in `loweringFor`. */
  readonly row?: Partial<Capabilities>;
}

/** Maps each kind of block (`holds`) to the type of the part that the block is made from. */
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

/** Registers the tests that every encoder must pass. */
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

  describe(`the ${name} encoder`, () => {
    it('has a revision of the form `name/number`', () => {
      expect(encoder.revision).toMatch(/^[a-z-]+\/\d+$/);
    });

    it('lowers equal spans to equal blocks', () => {
      fc.assert(
        fc.property(requests, ({ front, spans }) => {
          expect(lower(structuredClone(spans))).toEqual(lower(spans));
          expect(encoder.lowerFront(structuredClone(front), lowering)).toEqual(encoder.lowerFront(front, lowering));
        }),
        RUNS,
      );
    });

    it('puts the front before the messages and gives its blocks the group -1', () => {
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

    it('gives each block the group and origin of its span, and sets `opensTurn` on the first block only', () => {
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

    it('records in each block the part of the span that the block was made from', () => {
      fc.assert(
        fc.property(histories, (spans) => {
          for (const span of spans)
            for (const { part = -1, holds } of encoder.lowerSpan(span, lowering)) {
              const { type } = span.parts[part] ?? { type: 'none' };
              // An image or a native item that the provider cannot take is replaced by text.
              expect(holds === 'text' ? ['text', 'image', 'native'] : [HELD[holds]]).toContain(type);
            }
        }),
        RUNS,
      );
    });

    it('locates each block of the messages exactly once, in order', () => {
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

    it('drops blank text, and reasoning that no other part follows', () => {
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

    it('lowers every change that it can append, and shows the content of the change in the blocks', () => {
      for (const part of changesOf(appends)) {
        const blocks = encoder.lowerSpan({ ...emptySpan, role: 'system', parts: [part] }, lowering);
        const shown = blocks.map(({ head, tail }) => head + tail).join('\n');
        for (const word of wordsOf(part)) expect(shown).toContain(word);
        for (const { holds, opensTurn } of blocks) expect([holds, opensTurn]).toEqual(['change', false]);
      }
    });

    it('writes every block in order, with the same head and tail as in the prefix', () => {
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

    it('writes the same body with a reused writer as with a new one, while the history grows and the markers move', () => {
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

    it('never changes a body that it has returned', () => {
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
      const resultBlocks = encoder.lowerSpan({ ...emptySpan, role: 'user', group: 1, parts: [result] }, lowering);
      const textBlocks = encoder.lowerSpan(
        { ...emptySpan, role: 'user', group: 1, parts: [{ type: 'text', text: 'go on' }] },
        lowering,
      );
      const write = (blocks: readonly Block[]): unknown =>
        encoder.join(lowered, sha256).write([...lowered.blocks, ...blocks], [], envelope);
      const unclosed = expect.objectContaining({ code: 'provider/unclosed-history' });
      expect(() => write([...asked, ...resultBlocks])).not.toThrow();
      for (const blocks of [
        asked,
        resultBlocks,
        [...asked, ...textBlocks, ...resultBlocks],
        [...asked, ...resultBlocks, ...resultBlocks],
      ]) {
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

/**
 * Returns the inputs for converting spans to blocks: the capabilities of a model, and functions that find the bytes of
 * `PICTURE` and `TOOL`. The fields of `row` override the default capabilities.
 */
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

// Returns the history lengths, counted in spans, at which no call is open. Requests are built only at these lengths.
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

// Returns up to four markers. Most of them are near the end, as in requests of the runtime. The others are anywhere in
// the request.
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

/** Returns the strings that the blocks of this change must contain. */
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
