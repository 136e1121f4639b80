// Tests the forecast of a call with another effort or another model, against the bill of the simulator.

import type { Capabilities } from '@tidemark/model';
import { createAnthropicProvider } from '@tidemark/provider-anthropic';
import { expect, test } from 'vitest';
import type { Played } from '../../tests/small-window.ts';
import { playWindow, small } from '../../tests/small-window.ts';

const believed = small('claude-haiku-5-5', 200_000);
const PROMPT = 'Read each line, and say what you saw. '.repeat(400);

/** Returns a session after two prompts without an effort. */
async function played(real = (): Capabilities => believed): Promise<Played> {
  const one = await playWindow({ believed, real, answer: () => ({ answer: { text: 'Done.' } }) });
  await one.live.prompt(PROMPT);
  await one.live.prompt('And now?');
  return one;
}

/** Returns the input of the last call as the simulator billed it. */
function billed({ simulator }: Played): { readonly read: number; readonly written: number } {
  const { cache_read_input_tokens: read = 0, cache_creation_input_tokens: written = 0 } =
    simulator.calls.at(-1)?.usage ?? {};
  return { read, written };
}

test('the effort that is the default of the provider pays nothing again, in the forecast and in the bill', async () => {
  const one = await played();
  const usual = await one.live.forecast('Go on.');
  const next = await one.live.forecast('Go on.', { reasoning: { effort: 'high' } });
  expect([next?.rewrite, next?.tokens]).toEqual([undefined, usual?.tokens]);
  one.live.setReasoning({ effort: 'high' });
  await one.live.prompt('Go on.');
  expect(one.bodies.at(-1)).toContain('"effort":"high"');
  expect(billed(one).read).toBe(next?.tokens.read);
});

test('another effort pays for the history again, in the forecast and in the bill', async () => {
  const one = await played();
  const next = await one.live.forecast('Go on.', { reasoning: { effort: 'low' } });
  expect(next?.rewrite?.tokens).toBeGreaterThan(3_000);
  // The forecast has changed nothing.
  expect((await one.live.forecast('Go on.'))?.rewrite).toBeUndefined();
  one.live.setReasoning({ effort: 'low' });
  await one.live.prompt('Go on.');
  expect(billed(one).written).toBeGreaterThan(3_000);
  expect(Math.abs(billed(one).written - (next?.tokens.written ?? 0))).toBeLessThan(0.05 * billed(one).written);
});

test('another model pays for everything again, in the forecast and in the bill', async () => {
  let real = believed;
  const one = await played(() => real);
  const provider = createAnthropicProvider({ apiKey: 'sk-test', baseURL: one.url });
  const model = { provider, capabilities: small('claude-sonnet-5-5', 200_000) };
  const next = await one.live.forecast('Go on.', { model });
  expect(next).toMatchObject({ model: 'claude-sonnet-5-5', tokens: { read: 0 } });
  await one.live.setModel(model);
  real = model.capabilities;
  await one.live.prompt('Go on.');
  expect(billed(one).read).toBe(0);
  expect(Math.abs(billed(one).written - (next?.tokens.written ?? 0))).toBeLessThan(0.05 * billed(one).written);
});

test('unknown parameters and options of a forecast are refused', async () => {
  const one = await played();
  await expect(one.live.forecast('Go on.', { reasoning: { efort: 'low' } })).rejects.toMatchObject({
    code: 'agent/unknown-parameter',
  });
  await expect(one.live.forecast('Go on.', JSON.parse('{"effort":"low"}'))).rejects.toMatchObject({
    code: 'agent/bad-argument',
  });
});
