// OpenAI session id that is changed by a gateway: from some request on, the requests of a session arrive with another
// session id. The cache of the session is then on another machine, and `why` reports that cause.

import type { Tool } from '@tidemark/agent';
import { explainSession } from '@tidemark/agent';
import { groupOfCause } from '@tidemark/context';
import { defineTool } from '@tidemark/kit';
import { sessionId } from '@tidemark/log';
import type { Provider } from '@tidemark/model';
import type { AnswerPlan } from '@tidemark/simulator';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Billed, Stage } from './billed-stage.ts';
import { encoders, expectSound, openStage } from './billed-stage.ts';

const orders: Tool = defineTool({
  name: 'orders',
  description: 'Looks into the orders of the shop.',
  input: z.object({ bytes: z.number() }),
  effect: 'read',
  run: ({ bytes }) => 'an order '.repeat(bytes / 9),
});
const looks: AnswerPlan = { answer: { text: 'I look.', calls: [{ name: 'orders', arguments: { bytes: 9_000 } }] } };
const done: AnswerPlan = { answer: { text: 'Done.' } };

/**
 * Returns the number of tokens that a provider keeps in its cache after a call. If writing is free and not reported,
 * the provider keeps the input rounded down to a multiple of 128 tokens.
 */
function keptOf({ read, written, input }: Billed): number {
  return written > 0 ? read + written : input - (input % 128);
}

describe('openai/codex#44716', () => {
  test.each(['gpt-5.1', 'gpt-5.6-sol', 'gpt-6.1-sol'])(
    '`why` explains a step whose session id a gateway changed as a cache miss, not a break, with the tokens paid again: %s',
    async (model) => {
      const stage = await openStage({ model, tools: [orders] });
      const gateway = rekeying(stage);
      const live = await stage.open({ provider: gateway.provider });
      await stage.turn(live, 'Look.', looks, done);
      await stage.turn(live, 'Look again.', looks, done);
      gateway.key = 'another-session';
      await stage.turn(live, 'And now?', done);
      const [before, moved] = stage.billed().slice(-2);
      expect(moved?.read).toBe(0);
      const { explained } = await explainSession(stage.log(), sessionId(live.id), encoders);
      expect(explained).toHaveLength(1);
      const [why] = explained;
      expect([why?.step, why?.divergence, why?.opened]).toEqual([4, undefined, undefined]);
      expect(why?.miss?.tokens).toBe(keptOf(before ?? expect.unreachable()));
      expect(Number(why?.miss?.cost)).toBeGreaterThan(0);
      expect(groupOfCause(why?.miss?.cause ?? expect.unreachable())).toBe('cache');
      await stage.turn(live, 'And then?', done);
      expect(stage.billed().at(-1)?.read).toBe(keptOf(moved ?? expect.unreachable()));
      expect((await explainSession(stage.log(), sessionId(live.id), encoders)).explained).toHaveLength(1);
      await expectSound(stage, live.id);
    },
  );
});

/**
 * Wraps the stage's provider as a gateway. While `key` is set, the gateway replaces the cache key of each request with
 * `key`.
 */
function rekeying(stage: Stage): { readonly provider: Provider; key: string | undefined } {
  const gateway: { readonly provider: Provider; key: string | undefined } = {
    key: undefined,
    provider: {
      ...stage.provider,
      send: (outgoing) => stage.provider.send({ ...outgoing, body: rekeyed(outgoing.body, gateway.key) }),
    },
  };
  return gateway;
}

function rekeyed(body: Uint8Array, key: string | undefined): Uint8Array {
  if (key === undefined) return body;
  return new TextEncoder().encode(
    JSON.stringify({ ...JSON.parse(new TextDecoder().decode(body)), prompt_cache_key: key }),
  );
}
