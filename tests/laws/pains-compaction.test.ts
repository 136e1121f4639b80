// Problems with compaction from public threads about other agents. Each problem is reproduced with an agent that is
// created as in an application. The simulator has a small window and refuses requests that are too long.

import { fileURLToPath } from 'node:url';

import type { AgentOptions, AgentSession } from '@tidemark/kit';
import { foldLog } from '@tidemark/agent';
import { compactionStanding } from '@tidemark/context';
import { createAgent, defineTool, toolOutput } from '@tidemark/kit';
import type { Log, LogWriter, Recorded } from '@tidemark/log';
import { digest, sessionId } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { createAnthropicProvider } from '@tidemark/provider-anthropic';
import type { AnswerPlan, Fault, ReceivedRequest, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const MODEL = 'claude-sonnet-4-5';

function windowOf(tokens: number): Capabilities {
  const row = findModel(defaultCatalog(), MODEL);
  if (row === undefined) throw new Error(`the catalog has no ${MODEL}`);
  return { ...row, inputLimit: tokens, outputLimit: 1_000, window: { ...row.window, tokens: tokens + 1_000 } };
}

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ step: z.number() }),
  effect: 'none',
  run: () => 'seen '.repeat(300),
});

interface Played {
  readonly live: AgentSession;
  readonly log: Log;
  readonly simulator: Simulator;
  readonly bodies: readonly string[];
  readonly notices: readonly string[];
  records(): Promise<readonly Recorded[]>;
  /**
   * Returns the compactions and the refused compactions in the order of the log, each as its event kind and its
   * trigger.
   */
  compactions(): Promise<readonly string[]>;
}

/**
 * Options of the agent and of the simulator. `real` is the context window of the simulator in tokens. Default: the
 * window that the session assumes.
 */
interface Setting extends Partial<AgentOptions> {
  readonly real?: number;
  readonly requestBytes?: number;
}

/** Opens a session that assumes a context window of `believed` tokens, against a simulator. */
async function play(
  believed: number,
  answer: (sent: ReceivedRequest) => AnswerPlan,
  { real = believed, requestBytes, ...options }: Setting = {},
): Promise<Played> {
  const bytes = requestBytes === undefined ? {} : { requestBytes };
  const simulator = createSimulator({ capabilities: () => ({ ...windowOf(real), ...bytes }), onRequest: answer });
  const listening = await simulator.listen();
  const bodies: string[] = [];
  const notices: string[] = [];
  const { model, inputLimit, outputLimit, window } = windowOf(believed);
  const agent = createAgent({
    model,
    modelOptions: {
      catalog: { revision: 1, rows: [{ provider: 'anthropic', model, inputLimit, outputLimit, window, ...bytes }] },
    },
    provider: createAnthropicProvider({ apiKey: 'simulated', baseURL: listening.url }),
    permissions: { mode: 'auto', allowUnsandboxed: true },
    tools: [look],
    connection: { onRequest: (body) => bodies.push(new TextDecoder().decode(body)) },
    ...options,
    cache: { warm: 'off', ...options.cache },
  });
  const live = await agent.open();
  onTestFinished(async () => {
    await agent.close();
    await listening.close();
  });
  void (async () => {
    for await (const event of live.events()) if (event.type === 'notice.raised') notices.push(event.notice.code);
  })();
  const records = (): Promise<readonly Recorded[]> => Array.fromAsync(agent.log.read(sessionId(live.id)));
  return {
    live,
    log: agent.log,
    simulator,
    bodies,
    notices,
    records,
    compactions: async () =>
      (await records()).flatMap(({ kind, data }) =>
        kind === 'history.compacted' || kind === 'compaction.refused' ? [`${kind} ${data.trigger}`] : [],
      ),
  };
}

/** Returns the answers of a model that calls `look` `count` times, once in each answer, and then ends the turn. */
function looks(count: number): (sent: ReceivedRequest) => AnswerPlan {
  let step = 0;
  return () => {
    step += 1;
    return { answer: step > count ? { text: 'Done.' } : { calls: [{ name: 'look', arguments: { step } }] } };
  };
}

function failing(writer: LogWriter): LogWriter {
  const append: LogWriter['append'] = (events, expected) => {
    if (events.some(({ kind }) => kind === 'history.compacted')) throw new Error('the disk is gone');
    return writer.append(events, expected);
  };
  return new Proxy(writer, {
    get(held, name) {
      if (name === 'append') return append;
      const value: unknown = Reflect.get(held, name, held);
      return typeof value === 'function' ? value.bind(held) : value;
    },
  });
}

/** Returns this many bytes that begin like a PNG of 64 by 64 pixels. */
function picture(bytes: number, name: number): Uint8Array {
  const made = Buffer.alloc(bytes, `${name} `);
  made.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  made.writeUInt32BE(64, 16);
  made.writeUInt32BE(64, 20);
  return made;
}

const done = { outcome: 'completed', text: 'Done.' } as const;
const unfit = { outcome: 'failed', error: { code: 'turn/context-unfit' } } as const;
const statuses = ({ simulator }: Played): readonly number[] => simulator.calls.map(({ status }) => status);

it('anomalyco/opencode#27924, openclaw#10613, riba2534/happyclaw#300, NousResearch/hermes-agent#53008: a compaction that can free nothing is tried twice, and the turn ends with its sizes', async () => {
  const played = await play(200_000, looks(0), { real: 6_000 });
  for (let tries = 0; tries < 4; tries += 1) {
    const turn = tries === 0 ? played.live.prompt('All of it. '.repeat(4_000)) : played.live.resume();
    expect(await turn).toMatchObject(unfit);
  }
  expect(await played.compactions()).toEqual(Array(2).fill('compaction.refused overflow_recovery'));
  expect(statuses(played)).toEqual([400, 400, 400, 400]);
});

it('NousResearch/hermes-agent#53008: a compaction that frees less than 1%, as the provider counts, is made twice, and not at every step', async () => {
  const looking = looks(60);
  const bodies: string[] = [];
  // After the checkpoint, the provider reports about as many input tokens as before it.
  const usage = { input_tokens: 14_560, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const played = await play(
    16_000,
    (sent) => ({
      ...looking(sent),
      ...(bodies.at(-1)?.includes('<checkpoint>') === true && { fault: { kind: 'wrong-usage', usage } }),
    }),
    { connection: { onRequest: (body) => bodies.push(new TextDecoder().decode(body)) }, real: 200_000 },
  );
  expect(await played.live.prompt('Look.')).toMatchObject(done);
  expect(await played.compactions()).toEqual(Array(2).fill('history.compacted critical_pressure_preflight'));
  expect(played.notices.filter((code) => code === 'context/compaction-idle')).toHaveLength(1);
  const sizes = (await played.records()).flatMap((one) =>
    one.kind === 'answer.received' ? [(one.data.usage.fresh ?? 0) + (one.data.usage.read ?? 0)] : [],
  );
  expect(sizes.at(-1)).toBe(usage.input_tokens);
});

it('NousResearch/hermes-agent#53008: compaction is tried again after the next prompt', async () => {
  const looking = looks(90);
  const bodies: string[] = [];
  const usage = { input_tokens: 14_560, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const played = await play(
    16_000,
    (sent) => ({
      ...(sent.lastUserText === 'Again.' ? { answer: { text: 'Done.' } } : looking(sent)),
      ...(bodies.at(-1)?.includes('<checkpoint>') === true && { fault: { kind: 'wrong-usage', usage } }),
    }),
    { connection: { onRequest: (body) => bodies.push(new TextDecoder().decode(body)) }, real: 200_000 },
  );
  await played.live.prompt('Look.');
  await played.live.prompt('Again.');
  expect(await played.compactions()).toHaveLength(3);
});

it('anomalyco/opencode#16882: with `when: manual`, nothing is compacted even if a request is refused as too long', async () => {
  const played = await play(200_000, looks(30), { real: 6_000, compaction: { when: 'manual' } });
  expect(await played.live.prompt('Look.')).toMatchObject({ outcome: 'failed', error: { code: 'provider/too-long' } });
  expect([await played.compactions(), played.notices]).toEqual([[], []]);
});

it('openai/codex#13279: the checkpoint names the files that were read, so the model need not search for them again', async () => {
  const read = defineTool({
    name: 'look',
    description: 'Reads a file.',
    input: z.object({ step: z.number() }),
    effect: 'read',
    run: ({ step }) =>
      toolOutput({
        text: 'seen '.repeat(300),
        files: [{ path: `/w/orders/${step}.md`, as: 'read', digest: digest('a'.repeat(64)) }],
      }),
  });
  const played = await play(16_000, looks(40), { tools: [read] });
  expect(await played.live.prompt('Look.')).toMatchObject(done);
  expect(played.bodies.at(-1)).toContain('/w/orders/1.md');
});

it('Kilo-Org/kilocode#10888: the gauge counts the compacted history, so no second compaction follows', async () => {
  const played = await play(16_000, looks(40));
  expect(await played.live.prompt('Look.')).toMatchObject(done);
  expect(await played.compactions()).toEqual(['history.compacted critical_pressure_preflight']);
});

it('anthropics/claude-code#8050, #14274, elidickinson/pi-claude-bridge#18: the request of a compaction by a model is never too long itself', async () => {
  const asked: string[] = [];
  const answer = looks(40);
  const played = await play(
    200_000,
    (sent) => {
      if (!sent.lastUserText.includes('replaced by a checkpoint')) return answer(sent);
      asked.push(sent.lastUserText);
      return { answer: { text: 'no JSON' } };
    },
    { real: 12_000, compaction: { by: 'model' } },
  );
  expect(await played.live.prompt('Look.')).toMatchObject(done);
  expect(statuses(played).filter((status) => status === 400)).toHaveLength(1);
  expect(asked.every((words) => words.includes('<history>'))).toBe(true);
  const fallbacks = (await played.records()).flatMap((one) =>
    one.kind === 'history.compacted' ? [one.data.fallback] : [],
  );
  expect(fallbacks).toEqual([expect.any(String)]);
});

describe('openai/codex#38861', () => {
  const standing = async (played: Played): Promise<string | undefined> =>
    compactionStanding(await foldLog(played.log, sessionId(played.live.id)))?.standing;
  const LONG = 'Look at all of it. '.repeat(3_000);

  it('a refused compaction is reported as refused, and changes nothing', async () => {
    const played = await play(200_000, looks(0));
    await played.live.prompt('Look.');
    expect(await played.live.compact()).toMatchObject({ outcome: 'refused' });
    await played.live.prompt('And now?');
    expect(played.bodies.at(-1)).not.toContain('<checkpoint>\\n');
    expect([await played.compactions(), await standing(played)]).toEqual([['compaction.refused manual'], undefined]);
  });

  it('a compaction is confirmed by the next accepted request, and by nothing before', async () => {
    let fault: Fault | undefined;
    const played = await play(200_000, () => ({ answer: { text: 'Done.' }, ...(fault && { fault }) }));
    await played.live.prompt(LONG);
    await played.live.prompt('Look.');
    expect(await played.live.compact({ tailTokens: 100 })).toMatchObject({ outcome: 'compacted' });
    expect(await standing(played)).toBe('recorded');
    fault = { kind: 'refused', message: 'no money', status: 402, type: 'billing_error' };
    expect(await played.live.prompt('And now?')).toMatchObject({ outcome: 'failed' });
    expect(await standing(played)).toBe('taken-up');
    fault = undefined;
    expect(await played.live.resume()).toMatchObject(done);
    expect(await standing(played)).toBe('confirmed');
  });

  it('a compaction whose record cannot be written is not reported as made', async () => {
    const store = createMemoryStore();
    const log: Log = { ...store, create: async (id, parent) => failing(await store.create(id, parent)) };
    const played = await play(12_000, looks(60), { store: log });
    await expect(Promise.resolve(played.live.prompt('Look.'))).rejects.toThrow('the disk is gone');
    expect([played.notices.includes('context/compacted'), await played.compactions()]).toEqual([false, []]);
  });

  it('images of 43.8 MB at a tenth of the token window lead to a compaction by bytes, and the turn continues', async () => {
    // The sizes are a hundredth of those in the thread, which had eleven screenshots of 4 MB and a limit of 32 MB.
    const shot = defineTool({
      name: 'look',
      description: 'Takes a screenshot.',
      input: z.object({ step: z.number() }),
      effect: 'read',
      run: ({ step }) =>
        toolOutput({ text: `Screen ${step}.`, images: [{ data: picture(30_000, step), mediaType: 'image/png' }] }),
    });
    const played = await play(200_000, looks(11), {
      tools: [shot],
      requestBytes: 320_000,
      context: { images: 'as-given' },
    });
    expect(await played.live.prompt('Look.')).toMatchObject(done);
    expect(new Set(await played.compactions())).toEqual(new Set(['history.compacted critical_pressure_preflight']));
    expect(played.notices).toContain('context/compacted');
    expect(statuses(played)).toEqual(Array(12).fill(200));
    expect(Math.max(...played.bodies.map(({ length }) => length))).toBeLessThan(320_000);
    const kinds = (await played.records()).map(({ kind }) => kind);
    expect(kinds).not.toContain('block.quarantined');
  });
});

it('anthropics/claude-code#13919, #74990, #19471: the note of a source is repeated after a checkpoint', async () => {
  const rules = { name: 'rules', revision: () => '1', render: () => 'Never touch main.', affectedBy: () => false };
  const played = await play(12_000, looks(60), { context: { sources: [rules] } });
  expect(await played.live.prompt('Look.')).toMatchObject(done);
  expect((await played.compactions()).length).toBeGreaterThan(1);
  expect(played.bodies.filter((body) => !body.includes('Never touch main.'))).toEqual([]);
});

it('anthropics/claude-code#13919, #74990, #19471: the checkpoint names a skill that a compaction dropped, and the model loads it again', async () => {
  const roots = [
    { folder: fileURLToPath(new URL('../../tools/skills/tests/skills', import.meta.url)), source: 'home' },
  ];
  const body = 'Never edit the file you were given.';
  const answer = looks(60);
  const played = await play(
    14_000,
    (sent) => {
      const held = JSON.stringify(sent.body);
      if (held.includes(body)) return answer(sent);
      return { answer: { calls: [{ name: 'skill_load', arguments: { name: 'csv-cleanup' } }] } };
    },
    { skills: { roots } },
  );
  expect(await played.live.prompt('Clean the export.')).toMatchObject(done);
  expect((await played.compactions()).length).toBeGreaterThan(1);
  const without = played.bodies.filter((one) => !one.includes(body));
  // The front keeps the list of skills. After a compaction, the checkpoint lists the skills that were loaded. Loading a
  // skill again returns its whole text.
  expect(played.bodies.every((one) => one.includes('- csv-cleanup: '))).toBe(true);
  expect(without.slice(1).filter((one) => !/Skills to load again[^#]*csv-cleanup/.test(one))).toEqual([]);
  const loads = (await played.records()).filter(({ kind }) => kind === 'skill.loaded');
  expect([without.length, loads.length]).toEqual([loads.length, loads.length]);
  expect(loads.length).toBeGreaterThan(1);
});

it('earendil-works/pi#2608: text that the first compaction keeps is kept by the second and the third', async () => {
  const played = await play(12_000, looks(80));
  const turn = played.live.prompt('Look at everything, in order.');
  expect(await turn).toMatchObject(done);
  expect((await played.compactions()).length).toBeGreaterThan(2);
  expect(played.bodies.filter((body) => !body.includes('"text":"Look at everything, in order."'))).toEqual([]);
});

it('earendil-works/pi#6879, #7821: the gauge is checked at each step of a tool loop, so no request is too long', async () => {
  const played = await play(12_000, looks(80));
  expect(await played.live.prompt('Look.')).toMatchObject(done);
  expect(new Set(statuses(played))).toEqual(new Set([200]));
});
