// Tests a long turn that is compacted in its middle, with each kind of thinking. The catalog rows have the prefix check
// or do not have it. The simulator checks every signature and every item, and must refuse nothing. The turn has 26
// steps, or 300 with TIDEMARK_FULL=1.

import type { RenderParameters } from '@tidemark/log';
import type { Capabilities, Provider } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { anthropicEncoder, createAnthropicProvider } from '@tidemark/provider-anthropic';
import { createOpenAIProvider, openaiResponsesEncoder } from '@tidemark/provider-openai';
import type { PlannedAnswer, ScriptedBlock } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { goLive } from '../../tests/small-live.ts';
import { ID } from '../../tests/small-session.ts';
import { made } from '../../tests/small-work.ts';
import { verifySession } from '../audit/rebuild.ts';
import { THIS_MACHINE } from '../concurrency.ts';

const FULL = process.env['TIDEMARK_FULL'] === '1';
const STEPS = FULL ? 300 : 26;
const PATIENCE = FULL ? 240_000 : 60_000;
const WINDOW = FULL ? 20_000 : 6_500;

/** Kinds of thinking before a call. `interleaved`: thinking also comes between the calls of one answer. */
const KINDS = ['none', 'signed', 'redacted', 'interleaved'] as const;
type Kind = (typeof KINDS)[number];

function answer(kind: Kind, step: number): PlannedAnswer {
  const calls = [1, 2].map((at) => ({ name: 'look', arguments: { step, at } }));
  const [first, second] = calls.map((call): ScriptedBlock => ({ type: 'tool_use', ...call }));
  if (first === undefined || second === undefined) throw new Error('two calls');
  switch (kind) {
    case 'none':
      return { calls };
    case 'signed':
      return { thinking: `What is in ${step}?`, text: 'I look.', calls };
    case 'redacted':
      return { blocks: [{ type: 'redacted_thinking', data: `sealed ${step}` }, first, second] };
    case 'interleaved':
      return {
        blocks: [
          { type: 'thinking', thinking: `What is in ${step}?` },
          { type: 'text', text: 'First one.' },
          first,
          { type: 'thinking', thinking: `And in the other of ${step}?` },
          second,
        ],
      };
  }
}

function rowOf(model: string, provider: string, change: Partial<Capabilities> = {}): Capabilities {
  const row = findModel(defaultCatalog(), model, provider) ?? expect.unreachable();
  const window = { ...row.window, tokens: WINDOW + 1_000 };
  return { ...row, inputLimit: WINDOW, outputLimit: 1_000, window, ...change };
}

interface Course {
  readonly row: Capabilities;
  readonly kind: Kind;
  readonly parameters?: RenderParameters;
  readonly reach: (url: string) => Provider;
}

async function play({ row, kind, parameters = {}, reach }: Course): Promise<void> {
  let step = 0;
  const simulator = createSimulator({
    capabilities: () => row,
    onRequest: () => {
      step += 1;
      return { answer: step > STEPS ? { text: 'Done.' } : answer(kind, step) };
    },
  });
  const door = await simulator.listen();
  const provider = reach(door.url);
  const bodies: string[] = [];
  const onRequest = (body: Uint8Array): void => void bodies.push(new TextDecoder().decode(body));
  const runtime = { capabilities: row, parameters, tools: [look], surroundings: THIS_MACHINE, onRequest };
  const { live, log, records } = await goLive({ provider, runtime });
  onTestFinished(async () => {
    await live.close();
    await provider.close?.();
    await door.close();
  });
  expect(await live.prompt('Look at everything, in order.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
  const refused = simulator.calls.filter(({ status }) => status !== 200).map(({ message }) => message);
  expect([simulator.calls.length, refused]).toEqual([STEPS + 1, []]);
  const compacted = (await records()).filter(({ kind: one }) => one === 'history.compacted');
  expect(compacted.length).toBeGreaterThanOrEqual(FULL ? 3 : 1);
  for (const body of bodies) expect(body).toContain('Look at everything, in order.');
  // The requests must contain thinking. Otherwise the simulator would have no signature to check.
  const told = bodies.filter((body) => THOUGHTS[kind].test(body)).length;
  if (kind === 'none') expect(told).toBe(0);
  else expect(told).toBeGreaterThan(STEPS / 2);
  const encoders = (revision: string) =>
    [anthropicEncoder, openaiResponsesEncoder].find((encoder) => encoder.revision === revision);
  const { differences, breaks } = await verifySession(log, ID, { encoders });
  expect([differences, breaks.filter(({ cause }) => cause === undefined)]).toEqual([[], []]);
}

const SEALED = /"type":"(?:redacted_)?thinking"|"encrypted_content"/;
const THOUGHTS: Readonly<Record<Kind, RegExp>> = {
  none: SEALED,
  signed: /"type":"thinking"|"encrypted_content"/,
  redacted: /"type":"redacted_thinking"|"encrypted_content"/,
  interleaved: /"type":"thinking"|"encrypted_content"/,
};

const look = made('look', () => ({ text: 'seen '.repeat(150) }));
const ADAPTIVE: RenderParameters = { thinking: { type: 'adaptive' } };

describe(`a turn of ${STEPS} steps in a window of ${WINDOW} tokens is compacted, and nothing is refused`, () => {
  const anthropic = (url: string): Provider => createAnthropicProvider({ apiKey: 'sk-test', baseURL: url });

  describe.each([
    ['claude-sonnet-4-5', 'strips thinking at a new turn', {}],
    ['claude-sonnet-4-6', 'does not check the prefix', {}],
    ['claude-opus-5-5', 'checks the prefix', {}],
    ['claude-opus-5-5', 'checks the prefix and requires thinking in the open loop', { reasoningInLoop: 'required' }],
  ] as const)('%s, which %s', (model, _what, change) => {
    it.each(KINDS)(
      'with thinking: %s',
      async (kind) => {
        const bound = 'reasoningInLoop' in change && kind !== 'none';
        const parameters = kind === 'interleaved' || bound ? ADAPTIVE : {};
        await play({ row: rowOf(model, 'anthropic', change), kind, parameters, reach: anthropic });
      },
      PATIENCE,
    );
  });

  describe.each([
    ['gpt-5', 'http'],
    ['gpt-5.6-sol', 'http'],
    ['gpt-5.6-sol', 'websocket'],
  ] as const)('%s over %s', (model, transport) => {
    it.each(KINDS)(
      'with encrypted reasoning: %s',
      async (kind) => {
        const reach = (url: string): Provider =>
          createOpenAIProvider({ apiKey: 'k', api: 'responses', baseURL: `${url}/v1`, transport });
        await play({ row: rowOf(model, 'openai'), kind, reach });
      },
      PATIENCE,
    );
  });
});
