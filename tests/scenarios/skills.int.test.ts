// Real skills during a session. The tests check the simulator's bill and the bytes that arrived. A skill body is
// billed as new text one time, at the place where it was loaded. The list of skills never moves.

import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { defineTool } from '@tidemark/kit';
import type { AnswerPlan } from '@tidemark/simulator';
import { createMcpTools } from '@tidemark/tools-mcp';
import { startMadeServer } from '@tidemark/tools-mcp/contract';
import { createHistoryReadTool } from '@tidemark/tools-workspace';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Stage } from './billed-stage.ts';
import {
  epochsOf,
  expectOnlyAppended,
  expectOnlyGrowth,
  expectSound,
  openStage,
  PLAIN,
  recordsOf,
} from './billed-stage.ts';

const REAL = fileURLToPath(new URL('../../tools/skills/tests/skills', import.meta.url));
const done: AnswerPlan = { answer: { text: 'Done.' } };
const loads = (name: string, file?: string): AnswerPlan => ({
  answer: { calls: [{ name: 'skill_load', arguments: { name, ...(file === undefined ? {} : { file }) } }] },
});

async function rootWith(...names: readonly string[]): Promise<{ readonly folder: string; readonly source: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-scenario-skills-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of names) await cp(join(REAL, name), join(folder, name), { recursive: true });
  return { folder, source: 'home' };
}

test.each([PLAIN, 'claude-opus-5-5', 'claude-fable-5-1', 'gpt-6.1-sol'])(
  'skills loaded by the model, by the user and during the session are paid for once, across two processes, with %s',
  async (model) => {
    const root = await rootWith('csv-cleanup', 'bug-report');
    const stage = await openStage({ model, skills: { roots: [root] }, cache: { warm: 'off' } });
    const first = await stage.open();
    const script = 'scripts/profile.mjs';
    await stage.turn(
      first,
      'Clean it.',
      loads('csv-cleanup'),
      loads('csv-cleanup', script),
      loads('csv-cleanup'),
      done,
    );
    await cp(join(REAL, 'release-notes'), join(root.folder, 'release-notes'), { recursive: true });
    await stage.turn(first, 'What else is there?', loads('release-notes'), done);
    await first.close();
    const second = await stage.open({ id: first.id });
    expect(await second.prompt('Report it.', { skills: ['bug-report'] })).toMatchObject({ outcome: 'completed' });
    await stage.turn(second, 'Once more.', loads('bug-report'), done);
    if (model === PLAIN) expectOnlyGrowth(stage.billed());
    expectOnlyAppended(stage.bodies);
    const records = await recordsOf(stage, first.id);
    expect(await epochsOf(stage, first.id)).toEqual(['initial']);
    expect(records.flatMap(({ kind, data }) => (kind === 'skill.loaded' ? [data.name] : []))).toEqual([
      'csv-cleanup',
      'release-notes',
      'bug-report',
    ]);
    await expectSound(stage, first.id);
  },
);

test('pruning shortens old results around a skill body, and the body stays whole', async () => {
  const bash = defineTool({
    name: 'bash',
    description: 'Shows so many words.',
    input: z.object({ command: z.string() }),
    effect: 'read',
    run: ({ command }) => Array.from({ length: Number(command) }, (_, index) => `word ${index}`).join(' '),
  });
  const stage = await openStage({
    skills: { roots: [await rootWith('csv-cleanup')] },
    tools: [bash, createHistoryReadTool()],
    cache: { warm: 'off' },
    model: 'claude-opus-5-5',
  });
  const live = await stage.open();
  const looking = (count: number, words: number): readonly AnswerPlan[] =>
    Array.from({ length: count }, () => ({
      answer: { calls: [{ name: 'bash', arguments: { command: `${words}` } }] },
    }));
  await stage.turn(live, 'Clean it.', loads('csv-cleanup'), ...looking(8, 1_500), ...looking(60, 5), done);
  await stage.turn(live, 'And now?', done);
  const records = await recordsOf(stage, live.id);
  expect(records.some(({ kind }) => kind === 'history.pruned')).toBe(true);
  expect(stage.bodies.slice(1).every((body) => body.includes('three rows of the middle, before and after'))).toBe(true);
  await expectSound(stage, live.id);
});

test('a preloaded body fills the front of a model with a high floor, is read from the second call on, and is recorded once', async () => {
  const root = await rootWith('csv-cleanup');
  const preloaded = join(root.folder, 'csv-cleanup', 'SKILL.md');
  await writeFile(
    preloaded,
    (await readFile(preloaded, 'utf8')).replace('metadata:\n', 'metadata:\n  preload: always\n'),
  );
  const stage = await openStage({
    model: 'claude-haiku-4-5',
    skills: { roots: [root] },
    cache: { padding: 'always', warm: 'off' },
    instructions: 'You clean files.',
  });
  const live = await stage.open();
  await stage.turn(live, 'Clean it.', loads('csv-cleanup'), done);
  await stage.turn(live, 'And now?', done);
  const records = await recordsOf(stage, live.id);
  const held = records.flatMap(({ kind, data }) => (kind === 'epoch.opened' ? [data.padding?.skills] : []));
  expect(held).toEqual([['csv-cleanup']]);
  expect(records.flatMap(({ kind, data }) => (kind === 'skill.loaded' ? [data.reason] : []))).toEqual(['always']);
  expectOnlyGrowth(stage.billed());
  await expectSound(stage, live.id);
});

interface Written {
  /** Lines of front matter in addition to name and description. */
  readonly more?: string;
  readonly body?: string;
}

async function rootWriting(skills: Readonly<Record<string, Written>>, source = 'home') {
  const root = { ...(await rootWith()), source };
  for (const [name, { more = '', body = `Do ${name} well.` }] of Object.entries(skills)) {
    await mkdir(join(root.folder, name));
    const head = `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n`;
    await writeFile(join(root.folder, name, 'SKILL.md'), `${head}${body}\n`);
  }
  return root;
}

/**
 * Returns texts for the loaded skills, the opened epochs with the skills in their front, and the started turns, in the
 * order of the log.
 */
async function toldOf(stage: Stage, id: string): Promise<readonly string[]> {
  return (await recordsOf(stage, id)).flatMap(({ kind, data, turn }) => {
    if (kind === 'skill.loaded') return [`${data.name} ${data.reason}${turn === undefined ? '' : ' in a turn'}`];
    if (kind === 'epoch.opened') return [`front with ${data.padding?.skills?.join() ?? 'none'}`];
    return kind === 'turn.started' ? ['turn'] : [];
  });
}

async function resultsOf(stage: Stage, id: string): Promise<readonly string[]> {
  return (await recordsOf(stage, id)).flatMap(({ kind, data }) =>
    kind === 'tool.returned' || kind === 'tool.failed'
      ? [data.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')]
      : [],
  );
}

const PRELOAD = { more: 'metadata:\n  preload: always\n', body: 'Add up all of it.' };
/** Options for a front with padding that has room for the body of a skill. */
const LOW = {
  model: 'claude-haiku-4-5',
  instructions: 'You file taxes.',
  cache: { padding: 'always', warm: 'off' },
} as const;
const occurrences = (text = '', words: string): number => text.split(words).length - 1;

describe('the record of a preloaded body', () => {
  test('precedes the first turn when a side call opens the front', async () => {
    const stage = await openStage({ ...LOW, skills: { roots: [await rootWriting({ tax: PRELOAD })] } });
    const live = await stage.open();
    stage.simulator.next(done);
    await live.side({ purpose: 'title', prompt: [{ type: 'text', text: 'Name it.' }] });
    await stage.turn(live, 'Go.', done);
    expect(await toldOf(stage, live.id)).toEqual(['tax always', 'front with tax', 'turn']);
    await expectSound(stage, live.id);
  });

  test('is absent when the tools of a server fill the front', async () => {
    const words = 'Does what its name says, and nothing else. '.repeat(40);
    const server = await startMadeServer({
      tools: Array.from({ length: 20 }, (_, index) => ({ name: `tool${index}`, description: words })),
    });
    const mcp = createMcpTools({ servers: { shop: { url: server.url } }, waitMs: 50_000 });
    onTestFinished(async () => {
      await mcp.close();
      await server.stop();
    });
    const stage = await openStage({ ...LOW, mcp, skills: { roots: [await rootWriting({ tax: PRELOAD })] } });
    const live = await stage.open();
    await stage.turn(live, 'Go.', done);
    expect(await toldOf(stage, live.id)).toEqual(['turn', 'front with none']);
  });

  test('appears once before the first turn when the user also requests the skill, and a notice reports the duplicate', async () => {
    const roots = [await rootWriting({ tax: PRELOAD, vat: {} })];
    const stage = await openStage({ ...LOW, skills: { roots } });
    const live = await stage.open();
    const notices: string[] = [];
    void (async () => {
      for await (const event of live.events()) if (event.type === 'notice.raised') notices.push(event.notice.code);
    })();
    stage.simulator.next(done);
    await live.prompt('Go.', { skills: ['tax', 'vat'] });
    expect(await toldOf(stage, live.id)).toEqual(['tax always', 'turn', 'vat on_demand in a turn', 'front with tax']);
    expect(occurrences(stage.bodies[0], 'Add up all of it.')).toBe(1);
    expect(notices).toEqual(['skill/already-there']);
    await expectSound(stage, live.id);
  });
});

test('the skill budget is computed from the log: another process refuses a fourth skill, and a later one loads it after a compaction', async () => {
  const body = 'Weigh each of these words with care. '.repeat(200);
  const names = ['a1', 'b2', 'c3', 'd4'];
  const root = await rootWriting(Object.fromEntries(names.map((name) => [name, { body: `${name}: ${body}` }])));
  const stage = await openStage({ skills: { roots: [root] }, cache: { warm: 'off' } });
  const first = await stage.open();
  await stage.turn(first, 'Go.', loads('a1'), loads('b2'), loads('c3'), done);
  await first.close();
  const second = await stage.open({ id: first.id });
  await stage.turn(second, 'More.', loads('d4'), done);
  await second.close();
  const third = await stage.open({ id: first.id });
  expect(await third.compact({ tailTokens: 1 })).toMatchObject({ outcome: 'compacted' });
  await third.close();
  const fourth = await stage.open({ id: first.id });
  await stage.turn(fourth, 'And now?', loads('d4'), loads('a1'), loads('a1'), done);
  const results = await resultsOf(stage, first.id);
  expect(results[3]).toMatch(/^d4 does not fit: 3 skills are loaded, and the maximum is 3\. Loaded: a1 \(/);
  expect(results.slice(4).map((text) => /d4: Weigh|a1: Weigh|\[already_loaded\]/.exec(text)?.[0])).toEqual([
    'd4: Weigh',
    'a1: Weigh',
    '[already_loaded]',
  ]);
  await expectSound(stage, first.id);
});

test('a session whose skills were all deleted continues at no extra cost, a note reports the deletion, and a load is abandoned as `unavailable`', async () => {
  const root = await rootWriting({ tax: {} });
  const stage = await openStage({ skills: { roots: [root] }, cache: { warm: 'off' } });
  const first = await stage.open();
  await stage.turn(first, 'Go.', loads('tax'), done);
  await first.close();
  await rm(join(root.folder, 'tax'), { recursive: true });
  const second = await stage.open({ id: first.id });
  await stage.turn(second, 'Again.', loads('tax'), done);
  expect(await epochsOf(stage, first.id)).toEqual(['initial']);
  const noted = (await recordsOf(stage, first.id)).flatMap(({ kind, data }) =>
    kind === 'context.noted' && data.source === 'skills' ? [data.cause] : [],
  );
  expect(noted).toEqual(['initial', 'invalidated']);
  expect(
    (await recordsOf(stage, first.id)).flatMap((one) => (one.kind === 'tool.abandoned' ? [one.data.reason] : [])),
  ).toEqual(['unavailable']);
  expectOnlyGrowth(stage.billed());
  expectOnlyAppended(stage.bodies);
  await expectSound(stage, first.id);
});

test('of two skills with the same name the nearer one is loaded, and its text names its source', async () => {
  const [near, far] = [
    await rootWriting({ tax: { body: 'As this project does.' } }, 'workspace'),
    await rootWriting({ tax: { body: 'As always.' } }, 'home'),
  ];
  const stage = await openStage({ skills: { roots: [near, far] }, cache: { warm: 'off' } });
  const live = await stage.open();
  await stage.turn(live, 'Go.', loads('tax'), done);
  expect((await resultsOf(stage, live.id))[0]).toMatch(/^# Skill: tax \(source: workspace, .*As this project does\./s);
  expect(stage.bodies.join()).not.toContain('As always.');
});

test('loading a skill runs no script, and its `allowed-tools` grants no permission', async () => {
  const root = await rootWriting({ tax: { more: 'allowed-tools: shout\n' } });
  await mkdir(join(root.folder, 'tax', 'scripts'));
  await writeFile(join(root.folder, 'tax', 'scripts', 'run.sh'), `#!/bin/sh\ntouch "$(dirname "$0")/ran"\n`, {
    mode: 0o755,
  });
  let shouted = 0;
  const shout = defineTool({
    name: 'shout',
    description: 'Shouts.',
    input: z.object({}),
    effect: 'execute',
    run: () => `shouted ${(shouted += 1)}`,
  });
  const stage = await openStage({
    skills: { roots: [root] },
    tools: [shout],
    permissions: { mode: 'read-only' },
    cache: { warm: 'off' },
  });
  const live = await stage.open();
  await stage.turn(
    live,
    'Go.',
    loads('tax'),
    loads('tax', 'scripts/run.sh'),
    { answer: { calls: [{ name: 'shout', arguments: {} }] } },
    done,
  );
  expect(await readdir(join(root.folder, 'tax', 'scripts'))).toEqual(['run.sh']);
  expect(shouted).toBe(0);
  const denied = (await recordsOf(stage, live.id)).flatMap(({ kind, data }) =>
    kind === 'permission.decided' && data.decision === 'denied' ? [data.rule] : [],
  );
  expect(denied).toEqual(['read-only/execute']);
});

describe.each([PLAIN, 'gpt-5.4'])('the list of skills on %s', (model) => {
  const LISTED = '- tax: About tax.';

  test('is in the user role and in the cached prefix, and is sent again after a compaction', async () => {
    const stage = await openStage({
      model,
      skills: { roots: [await rootWriting({ tax: {} })] },
      cache: { warm: 'off' },
    });
    const live = await stage.open();
    await stage.turn(live, 'Go.', { answer: { text: 'Well. '.repeat(3_000) } });
    await stage.turn(live, 'And now?', done);
    const written = stage.billed();
    expect(written[1]?.read).toBeGreaterThan(0.9 * (written[0]?.input ?? Infinity));
    expect(await live.compact({ tailTokens: 1 })).toMatchObject({ outcome: 'compacted' });
    await stage.turn(live, 'And then?', done);
    await stage.turn(live, 'And after that?', done);
    for (const body of stage.bodies) {
      expect(occurrences(body, LISTED)).toBe(1);
      expect(withoutUserRole(body)).not.toContain(LISTED);
    }
    await expectSound(stage, live.id);
  });

  test('is the same for subagents, byte for byte', async () => {
    const answers: readonly AnswerPlan[] = [
      { answer: { calls: [{ name: 'agent', arguments: { role: 'clerk', task: 'Count.' } }] } },
      { answer: { text: 'Counted.' } },
      done,
    ];
    const roots = [await rootWriting({ tax: {}, vat: {} })];
    const stage = await openStage({ model, skills: { roots }, subagents: {}, cache: { warm: 'off' } });
    const live = await stage.open();
    await stage.turn(live, 'Go.', ...answers);
    const notes = stage.bodies.map((body) => /<context source=\\"skills\\".*?<\/context>/.exec(body)?.[0]);
    expect(stage.bodies[1]).toContain('You work as a subagent.');
    expect(notes[0]).toContain(LISTED);
    expect(new Set(notes).size).toBe(1);
    expect(stage.bodies.map(withoutUserRole).filter((body) => body.includes(LISTED))).toEqual([]);
  });
});

/** Returns a body without its user messages: only system text, tools, settings and the other roles. */
function withoutUserRole(body: string): string {
  return JSON.stringify(JSON.parse(body), (_name, value: unknown) =>
    typeof value === 'object' && value !== null && 'role' in value && value.role === 'user' ? undefined : value,
  );
}
