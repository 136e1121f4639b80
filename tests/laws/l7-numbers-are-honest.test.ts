// L7: tokens come in disjoint buckets, unknown is unknown and never 0, costs are exact, and a forecast is what is billed.

import { describe, expect, it } from 'vitest';
import type { AnswerReceived, Usage } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { priceAt } from '@tidemark/model';
import type { SimulatedUsage } from '@tidemark/simulator';
import { totalInput } from '@tidemark/simulator';
import { billedFor, shownBlocks, sum } from './billed.ts';
import type { Entry } from './book.ts';
import { readBook } from './book.ts';
import type { SentCall } from './driver.ts';
import { BILLED, tryStories, WORLDS } from './try-stories.ts';

describe.each(BILLED)('L7 on $store, billed', (world) => {
  it('L7: the buckets are disjoint, and together they are all that was sent', async () => {
    await tryStories({ world, runs: 6 }, async ({ calls }) => {
      for (const call of calls) {
        const billed = billedFor(call);
        if (billed !== undefined) expect(totalInput(billed)).toBe(sum(shownBlocks(call)));
      }
    });
  });

  it('L7: the record of an answer holds the buckets as they were billed', async () => {
    await tryStories({ world, runs: 6 }, async ({ log, session, calls }) => {
      const book = await readBook(log, session.writer.session);
      for (const call of calls) {
        const billed = billedFor(call);
        const answer = answerTo(book, call);
        if (billed !== undefined && answer !== undefined) expect(inputOf(answer.usage)).toEqual(bucketsOf(billed));
      }
    });
  });

  it('L7: a cost is the exact sum of its buckets', async () => {
    await tryStories({ world, runs: 6 }, async ({ log, session, calls }) => {
      const book = await readBook(log, session.writer.session);
      for (const call of calls) {
        const answer = answerTo(book, call);
        if (answer === undefined) continue;
        expect(normal(answer.cost ?? '')).toBe(
          exactCost(call.prepared.capabilities, call.prepared.record.at.slice(0, 10), answer.usage),
        );
      }
    });
  });

  it('L7: what was forecast is what is billed, bucket by bucket and in money, where the sizes agree and nothing was evicted', async () => {
    await tryStories({ world, runs: 18, knowable: true }, async ({ calls }) => {
      for (const call of calls) {
        const billed = billedFor(call);
        if (billed === undefined) continue;
        const { read, write, fresh, cost = '' } = call.prepared.record.data.forecast;
        const { position, at } = call.prepared.record;
        const told = { position, read, write, fresh, cost: normal(cost) };
        expect(told).toEqual({
          position,
          read: billed.cache_read_input_tokens,
          write: billed.cache_creation_input_tokens,
          fresh: billed.input_tokens,
          cost: exactCost(call.prepared.capabilities, at.slice(0, 10), { ...bucketsOf(billed), answer: 0 }),
        });
      }
    });
  });
});

describe.each(WORLDS.filter(({ provider }) => provider === 'scripted'))('L7 on $store, without usage', (world) => {
  it('L7: usage that nobody told stays absent, and so do its cost and its miss', async () => {
    await tryStories({ world, runs: 6 }, async ({ log, session }) => {
      for (const { record } of await readBook(log, session.writer.session)) {
        if (record.kind !== 'answer.received') continue;
        expect(record.data.usage).toEqual({});
        expect('cost' in record.data || 'miss' in record.data).toBe(false);
        // What is estimated stands apart from what was told, and prices are named for it alone.
        expect('costAtMost' in record.data).toBe(false);
        expect('prices' in record.data && !('estimated' in record.data)).toBe(false);
      }
    });
  });
});

function answerTo(book: readonly Entry[], { prepared }: SentCall): AnswerReceived | undefined {
  const answered = book.find(
    ({ record }) => record.kind === 'answer.received' && record.data.request === prepared.record.position,
  )?.record;
  return answered?.kind === 'answer.received' ? answered.data : undefined;
}

function inputOf({ fresh, read, writes }: Usage): unknown {
  return { fresh, read, writes };
}

function bucketsOf(billed: SimulatedUsage): Usage {
  const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = billed.cache_creation;
  const writes = [
    { ttl: '5m' as const, tokens: short },
    { ttl: '1h' as const, tokens: long },
  ].filter(({ tokens }) => tokens > 0);
  return { fresh: billed.input_tokens, read: billed.cache_read_input_tokens, writes };
}

const DIGITS = 18;

/** In whole numbers of 10^-18 dollars: no floating point comes near it. */
function exactCost(capabilities: Capabilities, day: string, usage: Usage): string {
  const input =
    (usage.fresh ?? 0) + (usage.read ?? 0) + (usage.writes ?? []).reduce((all, { tokens }) => all + tokens, 0);
  const price = priceAt(capabilities, day, input);
  if (price === undefined) throw new Error(`no price of ${capabilities.model} on ${day}`);
  const parts: readonly (readonly [tokens: number, perMillion: string | undefined])[] = [
    [usage.fresh ?? 0, price.input],
    [usage.read ?? 0, price.read],
    ...(usage.writes ?? []).map(({ ttl, tokens }) => [tokens, price.writes[ttl]] as const),
    [(usage.answer ?? 0) + (usage.reasoning ?? 0), price.output],
  ];
  const total = parts.reduce(
    (all, [tokens, perMillion]) => all + BigInt(tokens) * scaled(perMillion ?? '0', DIGITS - 6),
    0n,
  );
  const text = total.toString().padStart(DIGITS + 1, '0');
  return normal(`${text.slice(0, -DIGITS)}.${text.slice(-DIGITS)}`);
}

function scaled(decimal: string, digits: number): bigint {
  const [whole = '0', part = ''] = decimal.split('.');
  return BigInt(whole + part.padEnd(digits, '0'));
}

function normal(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}
