// Measures how long it takes to build the body and digest of the next request in a session whose body has 7 MB.

import { createHash } from 'node:crypto';

import { newHash } from '@tidemark/agent';
import { estimateTokens, frontOf } from '@tidemark/context';
import type { Block, Lowering, Marker, Span } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';

import type { Benchmark, Measured } from '../benchmark.ts';
import { median } from '../figures.ts';
import { madeText } from '../made-text.ts';
import { madeFront } from '../made-tools.ts';
import { rowOf } from '../model-row.ts';
import { timed } from '../stopwatch.ts';

export const benchmark: Benchmark = {
  name: 'body',
  against: 'JSON.stringify and digest of the same 7 MB object',
  target: 0.2,
  run,
};

const BYTES = 7_000_000;
const TURN_BYTES = 3_500;
const STEPS = 30;
const ENVELOPE = { outputLimit: 4_096, fields: {}, betas: [] };

async function run(): Promise<Measured> {
  const row = rowOf('claude-opus-5-5');
  const lowering: Lowering = {
    model: row.model,
    capabilities: row,
    materials: () => undefined,
    estimate: estimateTokens,
  };
  const front = anthropicEncoder.lowerFront(frontOf(madeFront(), row.model, {}), lowering);
  const writer = anthropicEncoder.join(front, newHash);
  const blocks: Block[] = [...front.blocks];
  let turn = 0;
  const grow = (): Marker[] => {
    const before = blocks.length - 1;
    for (const span of turnOf(turn)) blocks.push(...anthropicEncoder.lowerSpan(span, lowering));
    turn += 1;
    return [before, blocks.length - 1].map((block) => ({ block, ttl: '5m' }));
  };
  for (let held = 0; held < BYTES; held += TURN_BYTES) writer.digest(blocks, grow(), ENVELOPE);
  const ours: number[] = [];
  const theirs: number[] = [];
  let bytes = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const markers = grow();
    let body: Uint8Array = new Uint8Array();
    ours.push(timed(() => (body = writer.write(blocks, markers, ENVELOPE).body)));
    theirs.push(timedStringify(body));
    bytes = body.length;
  }
  return {
    ratio: median(ours) / median(theirs),
    details: { oursMs: median(ours), theirsMs: median(theirs), bytes, blocks: blocks.length },
  };
}

function timedStringify(body: Uint8Array): number {
  const object: unknown = JSON.parse(Buffer.from(body).toString());
  return timed(() => createHash('sha256').update(JSON.stringify(object)).digest('hex'));
}

function turnOf(turn: number): readonly Span[] {
  return (['user', 'assistant'] as const).map((role, index) => ({
    role,
    stability: 'session',
    origin: { from: 'event', session: 'body', position: 2 * turn + index },
    ordinal: 2 * turn + index,
    group: 2 * turn + index,
    opensTurn: role === 'user',
    parts: [{ type: 'text', text: madeText(TURN_BYTES / 2, turn) }],
  }));
}
