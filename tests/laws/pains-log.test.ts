// Problems from public threads about lost or damaged logs, reproduced with the real agent. Problems with the use of
// memory when a session is resumed (anthropics/claude-code#79196, #72667) are in `long-sessions.test.ts`.

import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent, defineTool } from '@tidemark/kit';
import type { Agent } from '@tidemark/kit';
import { sessionId } from '@tidemark/log';
import type { Digest, Recorded, SessionId } from '@tidemark/log';
import { openNdjsonStore, repairSession } from '@tidemark/store-ndjson';
import type { AnswerPlan, ReceivedRequest } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { newPlace } from './place.ts';
import type { Place } from './place.ts';
import { byStep, expectAnswered, play, playedWhole, quick } from './played-agent.ts';

const REPAIRED = sessionId('repaired');
const NULLS = '\0'.repeat(512);

function home(): Place & { readonly home: string } {
  const place = newPlace('ndjson');
  onTestFinished(() => place.remove());
  return { ...place, home: place.home ?? '' };
}

function logOf(place: { readonly home: string }, id: SessionId): string {
  return join(place.home, 'sessions', id, 'log.ndjson');
}

async function readAll(place: Place, id: SessionId): Promise<readonly Recorded[]> {
  return Array.fromAsync(place.open().read(id));
}

async function rewritten(change: (lines: readonly string[]) => string): Promise<{
  readonly place: Place & { readonly home: string };
  readonly id: SessionId;
  readonly records: readonly Recorded[];
}> {
  const place = home();
  const { id, records } = await playedWhole(place);
  const lines = (await readFile(logOf(place, id), 'utf8')).trimEnd().split('\n');
  await writeFile(logOf(place, id), change(lines));
  return { place, id, records };
}

async function expectDamage(place: Place, id: SessionId, line: number): Promise<void> {
  const opened = play({ place, id, tools: quick, answer: byStep }, ({ live }) => expectAnswered(live));
  await expect(opened).rejects.toMatchObject({ code: 'log/damaged', data: { line } });
}

async function expectRepaired(
  place: Place & { readonly home: string },
  id: SessionId,
  all: readonly Recorded[],
): Promise<void> {
  expect(await repairSession({ home: place.home }, id, REPAIRED)).toMatchObject({ records: all.length, lost: [] });
  const found = await readAll(place, REPAIRED);
  expect(found.slice(1).map(({ kind, data }) => ({ kind, data }))).toEqual(
    all.slice(1).map(({ kind, data }) => ({ kind, data })),
  );
  await play({ place, id: REPAIRED, tools: quick, answer: byStep }, ({ live }) => expectAnswered(live));
}

describe('anthropics/claude-code#49876, #50347', () => {
  it.each([
    ['between two records', (lines: readonly string[]) => `${lines.toSpliced(9, 0, NULLS).join('\n')}\n`],
    ['before a record', (lines: readonly string[]) => `${lines.with(9, NULLS + (lines[9] ?? '')).join('\n')}\n`],
  ])('a block of null bytes %s is reported, and no record after it is lost', async (_where, change) => {
    const { place, id, records } = await rewritten(change);
    await expectDamage(place, id, 10);
    await expectRepaired(place, id, records);
  });

  it('null bytes at the end, which a crash leaves, are no damage, and the session continues at once', async () => {
    const { place, id } = await rewritten((lines) => `${lines.join('\n')}\n${NULLS}`);
    await play({ place, id, tools: quick, answer: byStep }, ({ live }) => expectAnswered(live));
    expect(await readFile(logOf(place, id), 'utf8')).not.toContain(NULLS.slice(0, 1));
  });
});

describe('github/copilot-cli#4098, PrimeIntellect-ai/prime-agent#1785', () => {
  it('a torn line is removed before the next event is written, so the two are not joined', async () => {
    const { place, id } = await rewritten((lines) => `${lines.join('\n')}\n${(lines[9] ?? '').slice(0, 50)}`);
    const before = await readAll(place, id);
    await play({ place, id, tools: quick, answer: byStep }, ({ live }) => expectAnswered(live));
    const after = await readAll(place, id);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length);
  });

  it('a repair restores the whole record if another program joined a torn line to it', async () => {
    const { place, id, records } = await rewritten(
      (lines) => `${lines.with(9, `${(lines[9] ?? '').slice(0, 50)}${lines[9] ?? ''}`).join('\n')}\n`,
    );
    await expectDamage(place, id, 10);
    await expectRepaired(place, id, records);
  });
});

describe('QwenLM/qwen-code#3606', () => {
  it('two records joined as `}{` are reported and restored, and the whole chain is valid', async () => {
    const { place, id, records } = await rewritten((lines) => {
      const glued = `${lines[9] ?? ''}${lines[10] ?? ''}`;
      return `${lines.toSpliced(9, 2, glued).join('\n')}\n`;
    });
    await expectDamage(place, id, 10);
    await expectRepaired(place, id, records);
  });
});

describe('can1357/oh-my-pi#12624, bug-ops/zeph#5487', () => {
  it('a second process is refused while the first has the session, and every record is on disk', async () => {
    const place = home();
    await play({ place, tools: quick, answer: byStep }, async ({ live }) => {
      await live.prompt('Go.');
      const second = play({ place, id: live.id, tools: quick, answer: byStep }, ({ live: other }) =>
        expectAnswered(other),
      );
      await expect(second).rejects.toMatchObject({ code: 'log/locked' });
      await expectAnswered(live);
      const positions = (await readAll(place, live.id)).map(({ position }) => position);
      expect(positions).toEqual(positions.map((_, index) => index));
    });
  });

  it('a process stops with an error if another program wrote to its log', async () => {
    const place = home();
    let id = sessionId('none');
    const played = play({ place, tools: quick, answer: byStep }, async ({ live }) => {
      id = live.id;
      await live.prompt('Go.');
      await appendFile(logOf(place, live.id), 'another window');
      await live.prompt('And now?');
    });
    await expect(played).rejects.toMatchObject({ code: 'log/moved' });
    expect(await readFile(logOf(place, id), 'utf8')).toMatch(/\}\nanother window$/);
  });
});

describe('langchain-ai/langgraph#4168, #7094', () => {
  it('a log grows only at its end and only by new records, also with many writers at once', async () => {
    const place = home();
    const lengths: number[] = [];
    await play({ place, tools: quick, answer: () => ({ answer: { text: 'Noted.' } }) }, async ({ live }) => {
      let before = Buffer.alloc(0);
      for (let turn = 0; turn < 12; turn += 1) {
        const turnEnd = live.prompt(`Fact ${String(turn).padStart(2, '0')}.`);
        const sides = Array.from({ length: 8 }, (_, index) =>
          live.notify({ source: 'test', body: `${turn}.${index}`, provenance: 'test' }),
        );
        await Promise.all([turnEnd, ...sides]);
        const now = await readFile(logOf(place, live.id));
        expect(now.subarray(0, before.length).equals(before)).toBe(true);
        lengths.push(now.length - before.length);
        before = now;
      }
      expect(await readAll(place, live.id)).toHaveLength(before.filter((byte) => byte === 0x0a).length);
    });
    // The twelfth turn adds about as many bytes as the second one, so no earlier record is written again.
    expect(lengths[11]).toBeLessThan(1.5 * (lengths[1] ?? 0));
  });
});

describe('QwenLM/qwen-code#9471', () => {
  it('sessions in one process never see each other, side calls included', async () => {
    const bodies: string[] = [];
    const agent = await agentOn(home(), { answer: () => ({ answer: { text: 'Yes.' } }), bodies });
    const names = ['alder', 'birch', 'cedar'];
    await Promise.all(
      names.map(async (name) => {
        const live = await agent.open();
        for (let turn = 0; turn < 4; turn += 1) {
          const beside = live.side({ purpose: 'title', prompt: `A title for ${name}.`, history: 'main' });
          await Promise.all([live.prompt(`I speak of ${name}.`), beside]);
        }
      }),
    );
    const seen = bodies.map((body) => names.filter((name) => body.includes(name)).length);
    expect(bodies).toHaveLength(24);
    expect(new Set(seen)).toEqual(new Set([1]));
  });
});

describe('anthropics/claude-code#86707, gsd-build/gsd-2#4547', () => {
  const KEY = 'live-key-0123456789-abcdef';
  const MARK = '[secret:SERVICE_TOKEN]';
  const FILE = `SERVICE_TOKEN=${KEY}\nPORT=80\n`;

  /**
   * Plans the answers of a model. Its thinking and its text contain the key. It reads the file with the key and calls
   * `pour` for a long output. Then it tries to write the placeholder of the key to files.
   */
  function withKey({ body }: ReceivedRequest): AnswerPlan {
    const text = JSON.stringify(body);
    if (!text.includes('"c_read"')) {
      const calls = [
        { id: 'c_read', name: 'read', arguments: { path: 'config.env' } },
        { id: 'c_pour', name: 'pour', arguments: {} },
      ];
      return { answer: { thinking: `It may hold ${KEY}.`, text: `I look for ${KEY}.`, calls } };
    }
    if (!text.includes('"c_edit"')) {
      const edit = { old_text: 'PORT=80', new_text: `PORT=80\nCOPY=${MARK}` };
      const calls = [
        { id: 'c_edit', name: 'edit', arguments: { path: 'config.env', ...edit } },
        { id: 'c_write', name: 'write', arguments: { path: 'copy.env', content: `SERVICE_TOKEN=${MARK}\n` } },
        { id: 'c_bash', name: 'bash', arguments: { command: `echo 'SERVICE_TOKEN=${MARK}' > config.env` } },
      ];
      return { answer: { text: 'I write.', calls } };
    }
    return { answer: { text: 'Done.' } };
  }

  it('a secret is in no event and no artifact, stays whole in an answer, and is never written to a file', async () => {
    const place = home();
    const workspace = await mkdtemp(join(tmpdir(), 'tidemark-pain-'));
    onTestFinished(() => rm(workspace, { recursive: true, force: true }));
    await writeFile(join(workspace, 'config.env'), FILE);
    const bodies: string[] = [];
    const agent = await agentOn(place, { answer: withKey, bodies, workspace, environment: { SERVICE_TOKEN: KEY } });
    const live = await agent.open();
    expect(await live.prompt(`My key is ${KEY}.`)).toMatchObject({ outcome: 'completed', text: 'Done.' });

    const records = await readAll(place, live.id);
    const holders = records.filter((record) => JSON.stringify(record).includes(KEY)).map(({ kind }) => kind);
    expect(holders).toEqual(['answer.received']);
    const poured = await textOf(place, outputOf(records, 'c_pour'));
    expect(poured).toBe(`${MARK}\n`.repeat(9_000));
    const failed = records.filter((record) => record.kind === 'tool.failed');
    expect(failed.map(({ data }) => data.call)).toEqual(['c_edit', 'c_write', 'c_bash']);
    for (const { data } of failed) expect(JSON.stringify(data.parts)).toContain('replaces a secret');
    expect(await readFile(join(workspace, 'config.env'), 'utf8')).toBe(FILE);
    await expect(stat(join(workspace, 'copy.env'))).rejects.toThrow('ENOENT');
    // The simulator refuses changed signed thinking, so the key in it is sent back unchanged.
    expect(bodies.at(-1)).toContain(`It may hold ${KEY}.`);
    expect(bodies[0]).not.toContain(KEY);
  });

  function outputOf(records: readonly Recorded[], call: string): Digest {
    for (const record of records) {
      if (record.kind !== 'tool.returned' || record.data.call !== call) continue;
      if (record.data.output !== undefined) return record.data.output;
    }
    throw new Error(`${call} has no output`);
  }
});

async function textOf(place: Place, digest: Digest): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of place.open().artifacts.get(digest)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

interface Staged {
  readonly answer: (sent: ReceivedRequest) => AnswerPlan;
  readonly bodies: string[];
  readonly workspace?: string;
  readonly environment?: { readonly [name: string]: string };
}

/** Creates an agent whose tool `pour` writes the key 9,000 times, each time in two pieces. */
async function agentOn(place: Place & { readonly home: string }, staged: Staged): Promise<Agent> {
  const { answer, bodies, workspace, environment = {} } = staged;
  const simulator = createSimulator({ onRequest: answer });
  const listening = await simulator.listen();
  const key = environment['SERVICE_TOKEN'] ?? '';
  const pour = defineTool({
    name: 'pour',
    description: 'Pours out what it has.',
    input: z.object({}),
    effect: 'read',
    run: async (_input, { write }) => {
      for (let line = 0; line < 9_000; line += 1) {
        const cut = line % key.length;
        await write(key.slice(0, cut));
        await write(`${key.slice(cut)}\n`);
      }
    },
  });
  const agent = createAgent({
    model: 'claude-sonnet-4-5',
    apiKey: 'simulated',
    baseURL: listening.url,
    store: openNdjsonStore({ home: place.home }),
    permissions: { mode: 'auto', allowUnsandboxed: true },
    host: { environment },
    tools: [pour],
    ...(workspace !== undefined && { workspace: { folder: workspace, tools: ['read', 'write', 'edit', 'bash'] } }),
    connection: { onRequest: (body) => bodies.push(new TextDecoder().decode(body)) },
  });
  onTestFinished(async () => {
    await agent.close();
    await listening.close();
    expect(simulator.calls.filter(({ status }) => status !== 200)).toEqual([]);
  });
  return agent;
}
