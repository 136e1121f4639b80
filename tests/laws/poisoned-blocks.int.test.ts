// Problems from public threads in which one rejected block ends a session, reproduced with the real agent. The
// simulator refuses every request that contains the block, with the vendor's error message.

import type { Agent } from '@tidemark/kit';
import { createAgent, defineTool, toolOutput } from '@tidemark/kit';
import type { ContentPart, Recorded, RecordedOf } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { THIS_MACHINE, verifySession } from '@tidemark/agent';
import { anthropicEncoder, createAnthropicProvider } from '@tidemark/provider-anthropic';
import { createOpenAIProvider, openaiResponsesEncoder } from '@tidemark/provider-openai';
import type { Fault, ListeningSimulator, PlannedAnswer, ReceivedRequest, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LARGE, picture, refusal, refuseLarge } from './refused-images.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

type Wire = 'anthropic' | 'openai';

interface Played {
  readonly agent: Agent;
  readonly simulator: Simulator;
}

interface Story {
  readonly wire: Wire;
  /** True for a WebSocket, where a request contains only the new input. */
  readonly sockets?: boolean;
  readonly onRequest: (sent: ReceivedRequest) => {
    readonly answer?: PlannedAnswer;
    readonly fault?: Fault | undefined;
  };
  readonly images?: readonly Uint8Array[];
  /** Limit of a request in bytes. Default: the limit in the catalog. */
  readonly requestBytes?: number;
  /** Value of the option `compaction.when`. Default: none. */
  readonly compaction?: 'manual';
}

const MODELS = { anthropic: 'claude-sonnet-4-5-20250929', openai: 'gpt-5.6-sol' } as const;
const ENCODERS = { anthropic: anthropicEncoder, openai: openaiResponsesEncoder } as const;

async function play({
  wire,
  sockets = false,
  images = [],
  requestBytes,
  compaction,
  onRequest,
}: Story): Promise<Played> {
  const simulator = createSimulator({
    onRequest: (sent) => {
      const { answer, fault } = onRequest(sent);
      return { ...(answer !== undefined && { answer }), ...(fault !== undefined && { fault }) };
    },
  });
  const listening: ListeningSimulator = await simulator.listen();
  const provider =
    wire === 'anthropic'
      ? createAnthropicProvider({ apiKey: 'simulated', baseURL: listening.url })
      : createOpenAIProvider({
          apiKey: 'simulated',
          baseURL: `${listening.url}/v1`,
          api: 'responses',
          transport: sockets ? 'auto' : 'http',
        });
  const screenshot = defineTool({
    name: 'screenshot',
    description: 'Takes a screenshot.',
    input: z.object({ of: z.number() }),
    effect: 'read',
    run: ({ of }) => {
      const data = images[of];
      return data === undefined
        ? 'nothing to be seen'
        : toolOutput({ text: `screen ${of}`, images: [{ data, mediaType: 'image/png' }] });
    },
  });
  const agent = createAgent({
    model: MODELS[wire],
    provider,
    tools: [screenshot],
    context: {
      // Without `as-given`, the agent would refuse these bytes, because they are no real image.
      images: 'as-given',
    },
    ...(requestBytes !== undefined && {
      modelOptions: { catalog: { revision: 1, rows: [{ provider: wire, model: MODELS[wire], requestBytes }] } },
    }),
    ...(compaction !== undefined && { compaction: { when: compaction } }),
    permissions: { mode: 'auto' },
    host: { clock: { ...THIS_MACHINE, wait: (ms, signal) => THIS_MACHINE.wait(ms / 1_000, signal) } },
  });
  open.push(listening, agent);
  return { agent, simulator };
}

async function recordsOf({ agent }: Played, session: string): Promise<readonly Recorded[]> {
  const records: Recorded[] = [];
  for await (const record of agent.log.read(sessionId(session))) records.push(record);
  return records;
}

async function quarantined(played: Played, session: string): Promise<readonly RecordedOf<'block.quarantined'>[]> {
  const records = await recordsOf(played, session);
  return records.filter((record): record is RecordedOf<'block.quarantined'> => record.kind === 'block.quarantined');
}

/**
 * Expects that every request can be rebuilt byte for byte, including the refused and the repaired requests, and that
 * every break has one of the causes (L2, L3).
 */
async function verifies(
  { agent }: Played,
  session: string,
  wire: Wire,
  causes: readonly string[] = ['quarantine'],
): Promise<void> {
  const verified = await verifySession(agent.log, sessionId(session), { encoders: () => ENCODERS[wire] });
  expect(verified).toMatchObject({ differences: [], problems: [] });
  expect(verified.breaks.filter(({ cause }) => !causes.includes(cause ?? 'none'))).toEqual([]);
}

async function image({ agent }: Played, bytes: Uint8Array, mediaType = 'image/png'): Promise<ContentPart> {
  const { digest, size } = await agent.log.artifacts.put(bytes);
  return { type: 'image', artifact: digest, mediaType, bytes: size };
}

const FINE: PlannedAnswer = { text: 'I see.' };
const looks = (of: number): PlannedAnswer => ({
  text: 'I look.',
  calls: [{ name: 'screenshot', arguments: { of } }],
});

function answers({ body }: ReceivedRequest): number {
  const messages = body['messages'] ?? body['input'];
  return (Array.isArray(messages) ? messages : []).filter(
    (one: { readonly role?: unknown }) => one.role === 'assistant',
  ).length;
}

describe('anthropics/claude-code#37418, #83206: a refused image', () => {
  it('in a prompt is replaced by a line that names it, the request is repeated, and the session continues', async () => {
    const played = await play({ wire: 'anthropic', onRequest: (sent) => ({ answer: FINE, fault: refuseLarge(sent) }) });
    const session = await played.agent.open();
    const [small, large] = [await image(played, picture(300)), await image(played, picture(LARGE, 1))];
    const turn = await session.prompt([{ type: 'text', text: 'Look at both.' }, small, large, small]);
    expect(turn).toMatchObject({ outcome: 'completed', text: 'I see.' });
    expect(played.simulator.calls.map(({ status }) => status)).toEqual([400, 200]);
    expect(await session.prompt('And now?')).toMatchObject({ outcome: 'completed' });
    const [record, ...others] = await quarantined(played, session.id);
    expect(others).toEqual([]);
    expect(record?.data).toMatchObject({
      origin: { part: 2 },
      stub: expect.stringContaining(`${LARGE} bytes, artifact`),
    });
    const opened = (await recordsOf(played, session.id)).filter(({ kind }) => kind === 'epoch.opened');
    expect(opened.at(-1)).toMatchObject({ data: { cause: 'quarantine', quarantines: [record?.position] } });
    await verifies(played, session.id, 'anthropic');
  });

  it('in a result is replaced there, and the other parts of the result stay', async () => {
    const played = await play({
      wire: 'anthropic',
      images: [picture(300), picture(LARGE, 1)],
      onRequest: (sent) => ({ answer: [looks(0), looks(1)][answers(sent)] ?? FINE, fault: refuseLarge(sent) }),
    });
    const session = await played.agent.open();
    expect(await session.prompt('Look around.')).toMatchObject({ outcome: 'completed', text: 'I see.' });
    expect(played.simulator.calls.map(({ status }) => status)).toEqual([200, 200, 400, 200]);
    expect(await session.prompt('And now?')).toMatchObject({ outcome: 'completed' });
    expect(await quarantined(played, session.id)).toHaveLength(1);
    await verifies(played, session.id, 'anthropic');
  });

  it('that the error does not name is looked for among the new images, and accepted images stay', async () => {
    const bad = picture(500, 7);
    const played = await play({
      wire: 'anthropic',
      onRequest: (sent) => ({
        answer: FINE,
        fault: JSON.stringify(sent.body).includes(Buffer.from(bad).toString('base64'))
          ? refusal('Could not process image')
          : undefined,
      }),
    });
    const session = await played.agent.open();
    const good = await image(played, picture(300));
    await session.prompt([{ type: 'text', text: 'one' }, good]);
    expect(await session.prompt([{ type: 'text', text: 'two' }, await image(played, bad)])).toMatchObject({
      outcome: 'completed',
    });
    const [record, ...others] = await quarantined(played, session.id);
    expect([record?.data.stub.includes('500 bytes'), others]).toEqual([true, []]);
    await verifies(played, session.id, 'anthropic');
  });

  it('is found at OpenAI by the parameter that the error names', async () => {
    const played = await play({
      wire: 'openai',
      images: [picture(300), picture(LARGE, 1)],
      onRequest: (sent) => ({
        answer: [looks(0), looks(1)][answers(sent)] ?? FINE,
        fault: refuseAtOpenAI(sent),
      }),
    });
    const session = await played.agent.open();
    const turn = await session.prompt([{ type: 'text', text: 'Look.' }, await image(played, picture(LARGE, 3))]);
    expect(turn).toMatchObject({ outcome: 'completed', text: 'I see.' });
    expect((await quarantined(played, session.id)).map(({ data }) => data.origin.part)).toEqual([1, 1]);
    await verifies(played, session.id, 'openai');
  });

  it('in a request that continues from an answer is looked for after the request is sent whole', async () => {
    const played = await play({
      wire: 'openai',
      sockets: true,
      onRequest: (sent) => ({ answer: FINE, fault: refuseAtOpenAI(sent) }),
    });
    const session = await played.agent.open();
    const words = (text: string): ContentPart => ({ type: 'text', text });
    await session.prompt([words('one'), await image(played, picture(300))]);
    const turn = await session.prompt([words('two'), await image(played, picture(LARGE, 3))]);
    expect(turn).toMatchObject({ outcome: 'completed', text: 'I see.' });
    expect(played.simulator.calls.map(({ status }) => status)).toEqual([200, 400, 400, 200]);
    const [record, ...others] = await quarantined(played, session.id);
    expect([record?.data.stub.includes(`${LARGE} bytes`), others]).toEqual([true, []]);
    await verifies(played, session.id, 'openai');
  });

  it('ends the turn with a next step if the repaired request is refused too', async () => {
    const played = await play({
      wire: 'anthropic',
      onRequest: () => ({ fault: refusal('Could not process image') }),
    });
    const session = await played.agent.open();
    const turn = await session.prompt([{ type: 'text', text: 'Look.' }, await image(played, picture(300))]);
    expect(turn).toMatchObject({ outcome: 'failed', error: { code: 'provider/invalid' } });
    expect(played.simulator.calls).toHaveLength(2);
  });
});

/** Refuses a request with an image that is too large. As at OpenAI, the error names the parameter of the image. */
function refuseAtOpenAI({ body }: ReceivedRequest): Fault | undefined {
  const input = Array.isArray(body['input']) ? body['input'] : [];
  for (const [index, item] of input.entries())
    for (const list of ['content', 'output'])
      for (const [at, part] of Object.entries(item[list] ?? {}))
        if (JSON.stringify(part).length > LARGE) {
          const param = `input[${index}].${list}[${at}].image_url`;
          return refusal(`Invalid '${param}'. The image data is too large.`, { param, code: 'invalid_value' });
        }
  return undefined;
}

describe('code-yeongyu/senpi#302, anthropics/claude-code#37418: too many bytes', () => {
  const SHOTS = 12;
  /** Limit of a request in bytes. The vendor's limit of 32 MB would only make the test slower. */
  const LIMIT = 320_000;

  /** Plays a model that takes all screenshots, even if earlier ones are no longer in the request. */
  async function takeAll(compaction?: 'manual'): Promise<Played & { readonly session: string }> {
    let taken = 0;
    const played = await play({
      wire: 'anthropic',
      images: Array.from({ length: SHOTS }, (_, name) => picture(40_000, name)),
      requestBytes: LIMIT,
      ...(compaction && { compaction }),
      onRequest: () => ({ answer: taken < SHOTS ? looks(taken++) : FINE }),
    });
    const session = await played.agent.open();
    expect(await session.prompt('Take them all.')).toMatchObject({ outcome: 'completed', text: 'I see.' });
    expect(await session.prompt('And now?')).toMatchObject({ outcome: 'completed' });
    // No body is larger than the limit in the catalog row.
    expect(played.simulator.calls.every(({ bytes }) => bytes <= LIMIT)).toBe(true);
    expect(played.simulator.calls.map(({ status }) => status)).toEqual(Array(SHOTS + 2).fill(200));
    return { ...played, session: session.id };
  }

  it('lead to a compaction before the limit is reached, and the turn continues to its end', async () => {
    const played = await takeAll();
    expect(await quarantined(played, played.session)).toEqual([]);
    const causes = (await recordsOf(played, played.session)).flatMap((one) =>
      one.kind === 'epoch.opened' ? [one.data.cause] : [],
    );
    expect(causes).toEqual(['initial', 'compaction', 'compaction']);
    await verifies(played, played.session, 'anthropic', ['compaction']);
  });

  it('remove the older half of the images with `when: manual`, if a request grows above the limit', async () => {
    const played = await takeAll('manual');
    const gone = await quarantined(played, played.session);
    expect(gone.length).toBeGreaterThanOrEqual(4);
    expect(gone.length).toBeLessThan(SHOTS);
    const kinds = (await recordsOf(played, played.session)).filter(({ kind }) => kind === 'epoch.opened');
    expect(kinds.length).toBeLessThanOrEqual(3);
    await verifies(played, played.session, 'anthropic');
  });

  it('remove images after a 413 too, and images that are sent twice are stored once', async () => {
    const played = await play({
      wire: 'anthropic',
      onRequest: ({ body }) => ({
        answer: FINE,
        fault:
          JSON.stringify(body).length > 60_000
            ? refusal('Request exceeds the maximum size', { status: 413, type: 'request_too_large' })
            : undefined,
      }),
    });
    const session = await played.agent.open();
    const shots = await Promise.all([1, 2, 3, 3].map((name) => image(played, picture(15_000, name))));
    expect(await session.prompt([{ type: 'text', text: 'Look.' }, ...shots])).toMatchObject({ outcome: 'completed' });
    expect(played.simulator.calls.map(({ status }) => status)).toEqual([413, 200]);
    expect((await quarantined(played, session.id)).map(({ data }) => data.origin.part)).toEqual([1, 2, 3]);
    expect(new Set(shots.map((shot) => (shot.type === 'image' ? shot.artifact : ''))).size).toBe(3);
    await verifies(played, session.id, 'anthropic');
  });

  it.each<readonly ['manual' | undefined, string, string]>([
    // Here a compaction would remove nothing, so the error names another remedy.
    [undefined, 'turn/context-unfit', 'smaller pieces'],
    ['manual', 'provider/too-large', 'Compact'],
  ])('without media (`when`: %s) fail the turn with a next step', async (compaction, code, next) => {
    const fault = refusal('Request exceeds the maximum size', { status: 413, type: 'request_too_large' });
    const onRequest = (): { fault: Fault } => ({ fault });
    const played = await play({ wire: 'anthropic', onRequest, ...(compaction && { compaction }) });
    const session = await played.agent.open();
    expect(await session.prompt('Words.')).toMatchObject({
      outcome: 'failed',
      error: { code, next: expect.stringContaining(next) },
    });
    expect(played.simulator.calls).toHaveLength(1);
  });
});

describe('anthropics/claude-code#63229, #63293, anomalyco/opencode#6418: a refused signature', () => {
  const thinks: PlannedAnswer = {
    thinking: 'hm',
    text: 'I look.',
    calls: [{ name: 'screenshot', arguments: { of: 9 } }],
  };
  const isSealed = ({ body }: ReceivedRequest): boolean => /"signature"|encrypted_content":/.test(JSON.stringify(body));

  it.each<readonly [Wire, string, Partial<Extract<Fault, { kind: 'refused' }>>]>([
    ['anthropic', 'messages.1.content.0: Invalid `signature` in `thinking` block', {}],
    [
      'openai',
      'The encrypted content gAAA...abcd could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
      { code: 'invalid_encrypted_content' },
    ],
  ])('of %s removes its reasoning and all older reasoning, and the turn continues', async (wire, message, more) => {
    let refused = 0;
    const played = await play({
      wire,
      onRequest: (sent) => {
        const third = answers(sent) >= 2 && isSealed(sent);
        refused += third ? 1 : 0;
        return { answer: answers(sent) < 2 ? thinks : FINE, fault: third ? refusal(message, more) : undefined };
      },
    });
    const session = await played.agent.open();
    expect(await session.prompt('Look twice.')).toMatchObject({ outcome: 'completed', text: 'I see.' });
    expect(await session.prompt('And now?')).toMatchObject({ outcome: 'completed' });
    expect(refused).toBeLessThanOrEqual(2);
    expect((await quarantined(played, session.id)).map(({ data }) => data.stub)).toEqual(Array(refused).fill(''));
    await verifies(played, session.id, wire);
  });
});

describe('anthropics/claude-code#3639: a call that the provider refuses as an orphan', () => {
  it.each<readonly [Wire, string]>([
    ['anthropic', 'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: ID.'],
    ['openai', 'No tool output found for function call ID.'],
  ])('is replaced at %s together with its result, and the session continues', async (wire, message) => {
    const id = wire === 'anthropic' ? 'toolu_x' : 'call_x';
    const played = await play({
      wire,
      onRequest: (sent) => ({
        answer:
          answers(sent) === 0 && !JSON.stringify(sent.body).includes('omitted')
            ? { text: 'I look.', calls: [{ id, name: 'screenshot', arguments: { of: 0 } }] }
            : FINE,
        fault: JSON.stringify(sent.body).includes(id) ? refusal(message.replace('ID', id)) : undefined,
      }),
    });
    const session = await played.agent.open();
    expect(await session.prompt('Look.')).toMatchObject({ outcome: 'completed', text: 'I see.' });
    expect(await session.prompt('And now?')).toMatchObject({ outcome: 'completed' });
    expect(await quarantined(played, session.id)).toMatchObject([
      { data: { stub: expect.stringContaining('call of screenshot and its result omitted') } },
    ]);
    await verifies(played, session.id, wire);
  });
});
