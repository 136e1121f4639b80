// Images in a session: from a prompt, from a file that the model reads, and from a tool. The tests use the simulator
// over HTTP, which refuses images that are too large and counts the received bytes.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { THIS_MACHINE, verifySession } from '@tidemark/agent';
import type { Agent, AgentOptions, Tool } from '@tidemark/kit';
import { createAgent, defineTool, toolOutput } from '@tidemark/kit';
import type { ImagePart, Recorded, RecordedOf, Timestamp, Usage } from '@tidemark/log';
import { sessionId, timestamp } from '@tidemark/log';
import type { Encoder } from '@tidemark/model';
import { imageTokens } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { openaiResponsesEncoder, openrouterEncoder } from '@tidemark/provider-openai';
import type { PlannedAnswer, ReceivedRequest, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

const screens = new Map<string, Promise<Buffer>>();

function screen(width: number, height: number): Promise<Buffer> {
  const size = `${width} x ${height}`;
  const encoded =
    screens.get(size) ??
    sharp({ create: { width, height, channels: 3, background: '#27408b' } })
      .png()
      .toBuffer();
  screens.set(size, encoded);
  return encoded;
}

const MODELS = {
  anthropic: { model: 'claude-sonnet-5-5', path: '', encoder: anthropicEncoder, shown: [2_000, 1_125] },
  small: { model: 'claude-haiku-4-5-20251001', path: '', encoder: anthropicEncoder, shown: [1_456, 819] },
  openai: { model: 'gpt-6.1-sol', path: '/v1', encoder: openaiResponsesEncoder, shown: [2_000, 1_125] },
  openrouter: {
    model: 'anthropic/claude-sonnet-5.5',
    path: '/api/v1',
    encoder: openrouterEncoder,
    shown: [2_000, 1_125],
  },
} as const satisfies Record<string, { readonly encoder: Encoder; readonly [name: string]: unknown }>;

/** Returns a tool whose screenshots all differ. */
function camera(width: number, height: number, name = 'screenshot'): Tool {
  let taken = 0;
  return defineTool({
    name,
    description: 'Takes a screenshot.',
    input: z.object({ command: z.string().optional() }),
    effect: 'read',
    run: async () =>
      toolOutput({ images: [{ data: await screen(width, height + (taken += 1)), mediaType: 'image/png' }] }),
  });
}

interface Played {
  readonly agent: Agent;
  readonly simulator: Simulator;
  readonly folder: string;
}

async function play(
  to: keyof typeof MODELS,
  onRequest: (sent: ReceivedRequest) => PlannedAnswer,
  options: Partial<AgentOptions> = {},
): Promise<Played> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-images-'));
  const simulator = createSimulator({ onRequest: (sent) => ({ answer: onRequest(sent) }) });
  const server = await simulator.listen();
  const screenshot = defineTool({
    name: 'screenshot',
    description: 'Takes a screenshot.',
    input: z.object({}),
    effect: 'read',
    run: async () =>
      toolOutput({ text: 'the screen', images: [{ data: await screen(3_840, 2_160), mediaType: 'image/png' }] }),
  });
  const agent = createAgent({
    model: MODELS[to].model,
    provider: to === 'small' ? 'anthropic' : to,
    apiKey: 'simulated',
    baseURL: `${server.url}${MODELS[to].path}`,
    workspace: folder,
    tools: [screenshot],
    permissions: { mode: 'read-only' },
    ...options,
  });
  open.push({ close: () => rm(folder, { recursive: true }) }, server, agent);
  return { agent, simulator, folder };
}

async function recordsOf({ agent }: Played, session: string): Promise<readonly Recorded[]> {
  const records: Recorded[] = [];
  for await (const record of agent.log.read(sessionId(session))) records.push(record);
  return records;
}

function imagesIn(records: readonly Recorded[]): readonly ImagePart[] {
  return records.flatMap((record) =>
    record.kind === 'prompt.given' || record.kind === 'tool.returned'
      ? record.data.parts.filter((part) => part.type === 'image')
      : [],
  );
}

function inputOf({ fresh = 0, read = 0, writes = [] }: Usage): number {
  return writes.reduce((sum, { tokens }) => sum + tokens, fresh + read);
}

const call = (name: string, args: Readonly<Record<string, string>>): PlannedAnswer => ({
  calls: [{ name, arguments: args }],
});
const SEEN: PlannedAnswer = { text: 'I see.' };

function answeredIn({ body }: ReceivedRequest): number {
  const messages = body['messages'] ?? body['input'];
  const held = Array.isArray(messages) ? messages : [];
  return held.filter((one) => one.role === 'assistant' || one.type === 'function_call').length;
}

describe.each(['anthropic', 'small', 'openai', 'openrouter'] as const)('an image for a model of %s', (to) => {
  const [width, height] = MODELS[to].shown;

  it('is scaled to the size that the model sees, stored once, sent byte for byte and counted, from all three sources', async () => {
    const steps = [call('read', { path: 'screen.png' }), call('screenshot', {}), SEEN];
    const played = await play(to, (sent) => steps[answeredIn(sent)] ?? SEEN);
    const data = await screen(3_840, 2_160);
    await writeFile(join(played.folder, 'screen.png'), data);
    const session = await played.agent.open();
    const turn = await session.prompt([
      { type: 'image', data },
      { type: 'text', text: 'Compare this with screen.png, and with the screen.' },
    ]);
    expect(turn).toMatchObject({ outcome: 'completed', text: 'I see.' });
    expect(played.simulator.calls.map(({ status }) => status)).toEqual([200, 200, 200]);
    const records = await recordsOf(played, session.id);
    const images = imagesIn(records);
    expect(images).toHaveLength(3);
    expect(new Set(images.map(({ artifact }) => artifact)).size).toBe(1);
    expect(images[0]).toMatchObject({ mediaType: 'image/png', width, height });
    expect(JSON.stringify(records)).toContain(
      `[the image above is shown at ${width} x ${height} pixels: scaled down from 3840 x 2160]`,
    );
    const verified = await verifySession(played.agent.log, session.id, { encoders: () => MODELS[to].encoder });
    expect(verified).toMatchObject({ differences: [], problems: [], breaks: [] });
  });
});

describe.each(['anthropic', 'small', 'openai', 'openrouter'] as const)('an image for a model of %s', (to) => {
  it('costs what was forecast, and is read from the cache with the next prompt', async () => {
    const played = await play(to, () => SEEN);
    const session = await played.agent.open();
    await session.prompt('Hello.');
    await session.prompt([
      { type: 'image', data: await screen(3_840, 2_160) },
      { type: 'text', text: 'Look.' },
    ]);
    await session.prompt('And now?');
    const records = await recordsOf(played, session.id);
    const [, second] = records.filter((one) => one.kind === 'request.prepared');
    const [first, paid, next] = records.filter((one) => one.kind === 'answer.received');
    const foreseen = second?.data.forecast ?? expect.unreachable();
    const [before, with1, after] = [first, paid, next].map((answer) => inputOf(answer?.data.usage ?? {}));
    // The learned correction of token estimates applies to text only. An error in the rule for image tokens would be
    // larger than 40 tokens, such as two rows of patches.
    const input = foreseen.read + foreseen.write + foreseen.fresh;
    expect(Math.abs(input - (with1 ?? 0))).toBeLessThan(40);
    const [width, height] = MODELS[to].shown;
    const { images } = played.agent.capabilities;
    const counted = typeof images === 'object' ? imageTokens(images, { width, height }) : expect.unreachable();
    expect((with1 ?? 0) - (before ?? 0)).toBeGreaterThan(counted);
    expect((with1 ?? 0) - (before ?? 0)).toBeLessThan(counted + 60);
    expect((after ?? 0) - (with1 ?? 0)).toBeLessThan(60);
    // With the model `small`, the front is below the cache floor, so nothing is cached.
    if (to === 'anthropic' || to === 'openrouter') expect(next?.data.usage.read).toBeGreaterThan(counted);
  });
});

describe('an image that cannot be sent', () => {
  it('is refused in a prompt before anything is recorded, and the session takes the next prompt', async () => {
    const played = await play('anthropic', () => SEEN);
    const session = await played.agent.open();
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    const turn = session.prompt([
      { type: 'image', data: svg },
      { type: 'text', text: 'Look.' },
    ]);
    await expect(Promise.resolve(turn)).rejects.toMatchObject({ code: 'agent/unfit-image' });
    expect((await recordsOf(played, session.id)).map(({ kind }) => kind)).not.toContain('prompt.given');
    expect(await session.prompt('Then without.')).toMatchObject({ outcome: 'completed' });
  });

  it('becomes a line with the reason if it comes from a tool, and the turn continues', async () => {
    const played = await play('anthropic', (sent) => [call('read', { path: 'cut.png' })][answeredIn(sent)] ?? SEEN);
    const whole = await screen(400, 300);
    await writeFile(join(played.folder, 'cut.png'), whole.subarray(0, whole.length - 40));
    const session = await played.agent.open();
    expect(await session.prompt('Look.')).toMatchObject({ outcome: 'completed' });
    const returned = (await recordsOf(played, session.id)).find(
      (one): one is RecordedOf<'tool.returned'> => one.kind === 'tool.returned',
    );
    expect(JSON.stringify(returned?.data.parts)).toContain('[image omitted: its PNG data is damaged or cut off');
  });
});

it('a model without images gets a line of text, and after a switch a model with images gets the image', async () => {
  const model = 'claude-sonnet-5-5';
  const bodies: string[] = [];
  const played = await play('anthropic', () => SEEN, {
    modelOptions: { catalog: { revision: 1, rows: [{ provider: 'anthropic', model, images: 'none' }] } },
    connection: { onRequest: (body) => void bodies.push(Buffer.from(body).toString()) },
  });
  const session = await played.agent.open();
  const data = await screen(300, 200);
  await session.prompt([
    { type: 'image', data },
    { type: 'text', text: 'Look.' },
  ]);
  expect(bodies[0]).toContain('[image left out: this model takes no images. image/png, ');
  await session.setModel('claude-haiku-4-5-20251001');
  await session.prompt('And you?');
  expect(bodies[1]).toContain(data.toString('base64'));
  const verified = await verifySession(played.agent.log, session.id, { encoders: () => anthropicEncoder });
  expect(verified).toMatchObject({ differences: [], problems: [] });
});

/** Returns a screenshot full of detail. Its PNG is large, and it stays readable at half its size. */
async function busyScreen(name: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128 + name, sigma: 40 } as const;
  const tiles = await sharp({ create: { width: 700, height: 420, channels: 3, background: '#fff', noise } })
    .png()
    .toBuffer();
  return sharp(tiles).resize(2_800, 1_680, { kernel: 'nearest' }).png({ compressionLevel: 1 }).toBuffer();
}

it('code-yeongyu/senpi#302: 7 screenshots of together 11 MiB, a ninth of those in the thread, fit a ninth of the request limit, and none is above 2,000 pixels', async () => {
  const shots = [await busyScreen(1), await busyScreen(2), await busyScreen(3)];
  const given = Array.from({ length: 7 }, (_, shot) => shots[shot % shots.length] ?? expect.unreachable());
  expect(given.reduce((sum, { length }) => sum + length, 0)).toBeGreaterThan((101 * 2 ** 20) / 9);
  const requestBytes = 32_000_000 / 9;
  const model = 'claude-sonnet-5-5';
  const catalog = { revision: 1, rows: [{ provider: 'anthropic', model, requestBytes: Math.floor(requestBytes) }] };
  const played = await play('anthropic', () => SEEN, { modelOptions: { catalog } });
  const session = await played.agent.open();
  const images = given.map((data) => ({ type: 'image', data }) as const);
  expect(await session.prompt([...images, { type: 'text', text: 'Compare.' }])).toMatchObject({ outcome: 'completed' });
  expect(played.simulator.calls.map(({ status }) => status)).toEqual([200]);
  expect(played.simulator.calls[0]?.bytes).toBeLessThan(requestBytes);
  const kept = imagesIn(await recordsOf(played, session.id));
  expect(kept).toHaveLength(7);
  // anthropics/claude-code#83206: equal images are stored once.
  expect(new Set(kept.map(({ artifact }) => artifact)).size).toBe(3);
  expect(Math.max(...kept.map(({ width = 0, height = 0 }) => Math.max(width, height)))).toBe(2_000);
});

it('anthropics/claude-code#37418: with one image more than a request may contain, the older half is left out, and the session continues', async () => {
  const played = await play('small', (sent) => (answeredIn(sent) < 101 ? call('screenshot', {}) : SEEN), {
    tools: [camera(30, 10)],
  });
  const session = await played.agent.open();
  expect(await session.prompt('Take a hundred and one.')).toMatchObject({ outcome: 'completed', text: 'I see.' });
  expect(await session.prompt('And now?')).toMatchObject({ outcome: 'completed' });
  const refused = played.simulator.calls.filter(({ status }) => status !== 200);
  expect(refused.map(({ status }) => status)).toEqual([400]);
  const records = await recordsOf(played, session.id);
  const aside = records.filter(({ kind }) => kind === 'block.quarantined').length;
  expect([aside >= 50, aside < 101]).toEqual([true, true]);
});

it('a pruned image is replaced by a line that states this, and `history_read` returns it as it was sent', async () => {
  let later = 0;
  const now = (): Timestamp => timestamp(new Date(Date.now() + later).toISOString());
  const bodies: string[] = [];
  let asked = 0;
  const played = await play(
    'anthropic',
    () => {
      asked += 1;
      // If the same command runs again, the picture of its earlier run may be pruned.
      if (asked <= 8) return call('shell', { command: 'screenshot' });
      const [, position = '0'] = /The whole is at position (\d+)/.exec(bodies.at(-1) ?? '') ?? [];
      return asked === 10
        ? { calls: [{ name: 'history_read', arguments: { position: Number(position), part: 0 } }] }
        : SEEN;
    },
    {
      tools: [camera(1_200, 800, 'shell')],
      host: { clock: { ...THIS_MACHINE, now } },
      connection: { onRequest: (body) => void bodies.push(Buffer.from(body).toString()) },
    },
  );
  const session = await played.agent.open();
  await session.prompt('Take eight.');
  // All cache entries have expired, so pruning costs nothing.
  later = 2 * 60 * 60 * 1_000;
  expect(await session.prompt('And the first?')).toMatchObject({ outcome: 'completed', text: 'I see.' });
  const records = await recordsOf(played, session.id);
  const pruned = records.find((one): one is RecordedOf<'history.pruned'> => one.kind === 'history.pruned');
  expect(pruned?.data.cause).toBe('expired');
  expect(bodies[9]).toContain('[Shortened here: 1 image is left out. The whole is at position ');
  const images = imagesIn(records);
  expect(images).toHaveLength(9);
  const [first, second] = images;
  const again = images.at(-1);
  expect([first?.artifact, second?.artifact]).toContain(again?.artifact);
  expect(played.simulator.calls.every(({ status }) => status === 200)).toBe(true);
  const verified = await verifySession(played.agent.log, session.id, { encoders: () => anthropicEncoder });
  expect(verified).toMatchObject({ differences: [], problems: [] });
});
