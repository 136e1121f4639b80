// Background processes in whole sessions: their records, the notes about them, rules, compactions, forks, reopening,
// subagents and older sessions. An embedded agent plays each session against the simulator with real processes.

import { verifySession } from '@tidemark/agent';
import type { AgentOptions, AgentSession, Rule, WorkspaceSetup } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import type { Kind, Log, Recorded, RecordedOf } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { createAnthropicProvider } from '@tidemark/provider-anthropic';
import type { AnswerPlan } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { createMemoryStore } from '@tidemark/store-memory';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { encoders } from '../laws/server.ts';

const MODEL = 'claude-sonnet-5-5';

interface Played {
  readonly live: AgentSession;
  readonly agent: ReturnType<typeof createAgent>;
  readonly bodies: readonly string[];
  records(id?: string): Promise<readonly Recorded[]>;
  notes(id?: string): Promise<readonly string[]>;
  results(): Promise<readonly string[]>;
}

interface Setting extends Partial<Omit<AgentOptions, 'workspace'>> {
  readonly workspace?: Partial<WorkspaceSetup>;
  readonly open?: string;
  readonly log?: Log;
}

/** Opens a session. The simulator gives the answers in order, and after them the text `done`. */
async function play(
  answers: readonly AnswerPlan[],
  { workspace, open, log, ...options }: Setting = {},
): Promise<Played> {
  const folder = workspace?.folder ?? (await mkdtemp(join(tmpdir(), 'tidemark-background-')));
  let arrived = 0;
  const simulator = createSimulator({ onRequest: () => answers[arrived++] ?? { answer: { text: 'done' } } });
  const server = await simulator.listen();
  const bodies: string[] = [];
  const agent = createAgent({
    model: MODEL,
    provider: createAnthropicProvider({ apiKey: 'simulated', baseURL: server.url }),
    workspace: { folder, ...workspace },
    cache: { warm: 'off' },
    permissions: { mode: 'auto', allowUnsandboxed: true },
    connection: { onRequest: (body) => bodies.push(new TextDecoder().decode(body)) },
    store: log ?? createMemoryStore(),
    ...options,
  });
  onTestFinished(async () => {
    await agent.close();
    await server.close();
    if (workspace?.folder === undefined) await rm(folder, { recursive: true, force: true });
  });
  const live = await agent.open(open);
  const records = (id: string = live.id): Promise<readonly Recorded[]> =>
    Array.fromAsync(agent.log.read(sessionId(id)));
  return {
    live,
    agent,
    bodies,
    records,
    notes: async (id) =>
      ofKind(await records(id), 'context.noted')
        .filter(({ data }) => data.source === 'processes')
        .map(({ data }) => `${data.cause}: ${data.body}`),
    results: async () =>
      (await records()).flatMap((one) =>
        one.kind === 'tool.returned' || one.kind === 'tool.failed'
          ? one.data.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
          : [],
      ),
  };
}

function ofKind<K extends Kind>(records: readonly Recorded[], kind: K): readonly RecordedOf<K>[] {
  return records.flatMap((one) => (isOfKind(one, kind) ? [one] : []));
}

function isOfKind<K extends Kind>(record: unknown, kind: K): record is RecordedOf<K> {
  return typeof record === 'object' && record !== null && 'kind' in record && record.kind === kind;
}

const calling = (name: string, input: { readonly [name: string]: unknown }): AnswerPlan => ({
  answer: { calls: [{ name, arguments: input }] },
});
const start = (command: string): AnswerPlan => calling('bash', { command, background: true });
const saying = (text: string): AnswerPlan => ({ answer: { text } });

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 1_000 && !(await isTrue()); round += 1) await pause(10);
}

it('the start and the end of a process are in the log, and each request can be rebuilt', async () => {
  const { live, agent, records, notes } = await play([
    start('sleep 1000021'),
    start('exit 4'),
    calling('process', { process: 'p1', action: 'stop' }),
  ]);
  await live.prompt('work');
  const all = await records();
  const [bash] = ofKind(all, 'tool.started');
  expect(ofKind(all, 'process.started').map(({ data }) => data)).toEqual([
    { process: 'p1', command: 'sleep 1000021', call: bash?.data.call },
    { process: 'p2', command: 'exit 4', call: expect.any(String) },
  ]);
  expect(ofKind(all, 'process.ended').map(({ data }) => data)).toEqual([
    { process: 'p2', exit: 4, by: 'itself' },
    { process: 'p1', signal: 'SIGTERM', by: 'model' },
  ]);
  // Results reported both ends, so only the first start is noted.
  expect(await notes()).toEqual(['initial: Background processes:\np1 runs: sleep 1000021']);
  expect(await verifySession(agent.log, sessionId(live.id), { encoders })).toMatchObject({
    problems: [],
    differences: [],
    breaks: [],
  });
});

it('an end that no result reported reaches the model with the next step, or with the next prompt', async () => {
  const { live, notes, bodies } = await play([
    start('read -r line; exit 3'),
    start('read -r line; exit 5'),
    calling('bash', { command: 'true' }),
    saying('waiting'),
  ]);
  const events: number[] = [];
  void (async () => {
    for await (const event of live.events())
      if (event.type === 'processes.changed') events.push(event.processes.filter(({ running }) => running).length);
  })();
  await live.prompt('work');
  await live.processes.stop('p1');
  expect(events).toEqual([1, 2, 1]);
  await live.prompt('and now?');
  expect((await notes()).slice(1)).toEqual([
    'changed: p1 has ended: SIGTERM (stopped by the user): read -r line; exit 3\nBackground processes:\np2 runs: read -r line; exit 5',
  ]);
  expect(bodies.at(-1)).toContain('p1 has ended');
  expect(bodies.at(-2)).not.toContain('p1 has ended');
});

it('an end during a turn reaches the model with the next step', async () => {
  const { live, notes, bodies } = await play([
    start('until [ -e gate ]; do sleep 0.05; done; exit 3'),
    calling('bash', { command: 'touch gate; sleep 2' }),
    saying('seen'),
  ]);
  await live.prompt('work');
  expect(await notes()).toMatchObject([expect.anything(), expect.stringContaining('changed: p1 has ended: exit 3')]);
  expect(bodies.at(-1)).toContain('p1 has ended: exit 3');
});

it('a compaction keeps the running processes known', async () => {
  const { live, notes } = await play([start('sleep 1000022'), saying('started. '.repeat(4_000)), saying('more')]);
  await live.prompt('start it');
  await live.prompt('go on');
  const report = await live.compact({ tailTokens: 0, by: 'deterministic' });
  expect(report).toMatchObject({ outcome: 'compacted' });
  await live.prompt('after the compaction');
  expect(await notes()).toEqual([
    'initial: Background processes:\np1 runs: sleep 1000022',
    'compacted-away: Background processes:\np1 runs: sleep 1000022',
  ]);
});

it('a reopened session says that its processes ended, and uses new ids', async () => {
  const log = createMemoryStore();
  const first = await play([start('sleep 1000023')], { log });
  await first.live.prompt('work');
  await first.agent.close();
  const second = await play([start('sleep 1000024')], { log, open: first.live.id });
  expect(second.live.processes.list()).toEqual([]);
  await second.live.prompt('go on');
  expect((await second.notes())[1]).toBe(
    'changed: p1 has ended: SIGTERM (the session was closed): sleep 1000023\nNo background process runs.',
  );
  expect(second.live.processes.list()).toMatchObject([{ id: 'p2', running: true }]);
});

it('a fork does not have the processes of its session, and its model is told', async () => {
  const { live, agent, notes } = await play([start('sleep 1000025')]);
  await live.prompt('work');
  const fork = await agent.fork(live.id);
  expect(fork.processes.list()).toEqual([]);
  await fork.prompt('go on');
  expect((await notes(fork.id)).at(-1)).toContain('p1 has ended (the program that ran it ended)');
  expect(live.processes.list()).toMatchObject([{ id: 'p1', running: true }]);
});

it('an interrupt of the turn keeps the processes running', async () => {
  const { live, results } = await play([start('sleep 1000026'), calling('bash', { command: 'sleep 1000027' })]);
  const turn = live.prompt('work');
  await until(async () => (await results()).length === 1);
  await until(() => live.processes.list().length === 1);
  await live.interrupt();
  expect(await turn).toMatchObject({ outcome: 'interrupted' });
  expect(live.processes.list()).toMatchObject([{ id: 'p1', running: true }]);
});

it('the process of a subagent ends with the subagent', async () => {
  const { live, agent, records } = await play(
    [calling('agent', { task: 'start a server' }), start('sleep 1000028'), saying('it runs'), saying('done')],
    { subagents: {} },
  );
  await live.prompt('work');
  const [child] = ofKind(await records(), 'subagent.started');
  const own = await Array.fromAsync(agent.log.read(sessionId(child?.data.child ?? '')));
  expect(ofKind(own, 'process.ended').map(({ data }) => data)).toEqual([
    { process: 'p1', signal: 'SIGTERM', by: 'session' },
  ]);
  expect(live.processes.list()).toEqual([]);
});

const denyPush: Rule = { decision: 'deny', tool: 'bash', commands: ['git push *'] };
const allowCat: Rule = { decision: 'allow', tool: 'bash', commands: ['cat', 'echo *'] };

it('rules decide about a start as about a command, and a rule on commands never allows input', async () => {
  const rules = { mode: 'ask', rules: [allowCat, denyPush] } as const;
  const asked: string[] = [];
  const ask = async ({ title, preview }: { readonly title: string; readonly preview?: { readonly text: string } }) => {
    asked.push(`${title} | ${preview?.text}`);
    return true;
  };
  const plans = [
    start('cat'),
    start('git push origin'),
    calling('process', { process: 'p1', action: 'write', input: 'echo hi\n' }),
  ];
  const denied = await play(plans, { permissions: { ...rules, ask } });
  await denied.live.prompt('work');
  expect(asked).toEqual([]);
  const [first, push, write] = await denied.results();
  expect([first, push, write]).toEqual([
    expect.stringContaining('p1 runs'),
    expect.stringContaining('denied'),
    expect.stringContaining('denied'),
  ]);
  const allowed = await play(
    plans.filter((_, index) => index !== 1),
    {
      permissions: { mode: 'ask', rules: [allowCat], ask },
    },
  );
  await allowed.live.prompt('work');
  expect(asked).toEqual(['input for p1 (cat): echo hi\\u{a} | input for p1: cat\necho hi\n']);
  expect((await allowed.results()).at(-1)).toBe('echo hi\n[p1 runs in the background]');
});

it('mode read-only denies a start and input, and allows a read and a stop', async () => {
  const { live, results } = await play([
    start('cat'),
    saying('started'),
    calling('process', { process: 'p1', action: 'write', input: 'x\n' }),
    calling('process', { process: 'p1', action: 'read' }),
    calling('process', { process: 'p1', action: 'stop' }),
    start('cat'),
  ]);
  await live.prompt('work');
  await live.setMode('read-only');
  await live.prompt('go on');
  const [, write, read, stop, again] = await results();
  expect([write, again]).toEqual([expect.stringContaining('denied'), expect.stringContaining('denied')]);
  expect(read).toContain('p1 runs');
  expect(stop).toContain('p1 has ended');
});

it.each([
  ['claude-sonnet-4-5', 'queued'],
  ['claude-sonnet-5-5', 'appended'],
])('an older session of %s keeps its definition of bash and opens no epoch', async (model, as) => {
  const log = createMemoryStore();
  const first = await play([], { log, model, workspace: { backgroundProcesses: 0 } });
  await first.live.prompt('hello');
  await first.agent.close();
  const second = await play([], { log, model, open: first.live.id });
  await second.live.prompt('go on');
  await second.live.prompt('go on');
  const all = await second.records();
  expect(ofKind(all, 'epoch.opened')).toHaveLength(1);
  const bash = (body: string | undefined): string | undefined => /\{[^{]*"name":"bash"/.exec(body ?? '')?.[0];
  expect(second.bodies[1]).toContain(first.bodies[0]?.slice(0, first.bodies[0].indexOf('"messages"')).slice(0, 2_000));
  expect(bash(second.bodies[1])).toEqual(bash(first.bodies[0]));
  const changes = ofKind(all, 'tools.changed').map(({ data }) => [data.as, data.added.map(({ name }) => name)]);
  expect(changes).toEqual([[as, ['process']]]);
});

it('without background processes, bash has no argument for them, and there is no tool process', async () => {
  const { live, bodies, results } = await play([start('true')], { workspace: { backgroundProcesses: 0 } });
  await live.prompt('hello');
  expect(bodies[0]).not.toContain('"process"');
  expect((await results())[0]).toContain('background');
  expect(live.processes.list()).toEqual([]);
});

it('no process of these tests is left', async () => {
  const commands = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  expect(commands.filter((command) => /^sleep 100002\d $/.test(command.replaceAll('\u0000', ' ')))).toEqual([]);
});
