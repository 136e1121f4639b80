// Tests own agents on the command line: `tidemark agents`, `--agent`, the setting `agent`, and the models of subagents.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { beforeEach, expect, onTestFinished, test } from 'vitest';

import type { Choices, Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

let stage: Stage;

beforeEach(() => {
  stage = openStage();
  onTestFinished(() => stage.clear());
});

function place(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const own = (name: string, text: string): void => place(join(stage.home, '..', 'config/tidemark/agents', name), text);
const ofFolder = (name: string, text: string): void => place(join(stage.folder, '.agents/agents', name), text);
const settings = (value: object): void =>
  place(join(stage.home, '..', 'config/tidemark/tidemark.config.json'), JSON.stringify(value));

function tidemark(args: readonly string[], more: Choices = {}): Promise<Ran> {
  const environment = {
    PATH: process.env['PATH'],
    TIDEMARK_HOME: stage.home,
    XDG_CONFIG_HOME: join(stage.home, '..', 'config'),
    ...more.environment,
  };
  return pretendRun(args, { folder: stage.folder, ...more, environment });
}

const simulated = (scenario: string, ...args: readonly string[]): Promise<Ran> =>
  tidemark(['run', '--provider', 'simulator', '--scenario', scenario, ...args]);

interface LoggedRecord {
  readonly kind: string;
  readonly data: { readonly [name: string]: unknown };
}

function logs(): readonly (readonly LoggedRecord[])[] {
  return readdirSync(join(stage.home, 'sessions'))
    .map((session) => readFileSync(join(stage.home, 'sessions', session, 'log.ndjson'), 'utf8'))
    .map((log) =>
      log
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line)),
    );
}

const opened = (log: readonly LoggedRecord[]): readonly LoggedRecord['data'][] =>
  log.filter(({ kind }) => kind === 'epoch.opened').map(({ data }) => data);

const file = (fields: string, text = 'Do it.'): string => `---\ndescription: About it.\n${fields}---\n${text}\n`;

test('`agents` lists agents with source, model, tools, size and problems, and names the skipped files', async () => {
  own('cheap.md', file('model: haiku\ntools: [Read, grep]\n'));
  own('bad.md', 'no front matter');
  ofFolder('reviewer.md', file(''));
  const before = await tidemark(['agents']);
  expect(before.out).toContain('1 own agent installed');
  expect(before.out).toContain('not used: reviewer, because this folder is not trusted');
  await tidemark(['trust', '--yes']);
  const { out, exit } = await tidemark(['agents']);
  expect(exit).toBe(0);
  expect(out.split('\n').slice(0, 4)).toEqual([
    '2 own agents installed',
    'agent\tfrom\tmodel\ttools\tsize\twhen to use',
    expect.stringMatching(/^cheap\tconfig\tclaude-haiku-5-5\tRead, grep\t\d+ B\t! About it\.$/),
    expect.stringMatching(/^reviewer\tworkspace\tof the session\tall\t\d+ B\tAbout it\.$/),
  ]);
  expect(out).toContain('! cheap: model: there is no key for Anthropic: set ANTHROPIC_API_KEY');
  expect(out).toContain('! cheap: tools: there is no tool `Read`; did you mean `read`?');
  expect(out).toMatch(/skipped: \S+bad\.md: it does not begin with front matter/);
  const json = JSON.parse((await tidemark(['agents', '--json'])).out);
  expect(json).toMatchObject({
    agents: [
      { name: 'cheap', tools: ['Read', 'grep'] },
      { name: 'reviewer', tools: null },
    ],
  });
});

test('a changed agent file of the folder asks for trust again, and the question shows it', async () => {
  ofFolder('reviewer.md', file('tools: [read]\nmodel: haiku\n'));
  await tidemark(['trust', '--yes']);
  ofFolder('reviewer.md', file('tools: [bash]\n'));
  expect((await tidemark(['agents'])).out).toContain('not used: reviewer');
  const seen: string[] = [];
  await tidemark(['trust'], { person: (question) => (seen.push(question), 'n') });
  expect(seen.join('\n')).toContain('agent reviewer: About it. (bash)');
});

test('`--agent` gives a new session the role, tools, model and effort of an agent, and the session keeps them', async () => {
  own('reviewer.md', file('tools: [read, grep]\nmodel: opus\neffort: low\n', 'You review.'));
  const scenario = stage.scenario({ answer: { text: 'One.' } }, { answer: { text: 'Two.' } });
  expect((await simulated(scenario, '--agent', 'reviewer', 'hello there')).exit).toBe(0);
  own('reviewer.md', file('', 'You changed.'));
  expect((await simulated(scenario, '--continue', 'hello again')).exit).toBe(0);
  const [log = []] = logs();
  expect(opened(log)).toEqual([
    expect.objectContaining({
      model: 'claude-opus-5-5',
      parameters: expect.objectContaining({ effort: 'low' }),
      layers: expect.arrayContaining([expect.objectContaining({ name: 'role' })]),
    }),
  ]);
  expect(JSON.stringify(opened(log)[0]?.['tools'])).not.toContain('bash');
  expect(log.find(({ kind }) => kind === 'agent.chosen')?.data).toMatchObject({
    name: 'reviewer',
    role: 'You review.',
  });
});

test('an option overrides the agent, and the agent overrides the settings', async () => {
  own('reviewer.md', file('model: opus\n'));
  settings({ agent: 'reviewer', model: 'claude-sonnet-4-5' });
  await simulated(stage.scenario({ answer: { text: 'One.' } }), 'hello there');
  expect(opened(logs()[0] ?? [])[0]).toMatchObject({ model: 'claude-opus-5-5' });
  await simulated(stage.scenario({ answer: { text: 'One.' } }), '--model', 'haiku', 'hello there');
  expect(logs().map((log) => opened(log)[0]?.['model'])).toContain('claude-haiku-5-5');
});

test('another agent for an existing session reports the price first and records the cause', async () => {
  own('reviewer.md', file('tools: [read]\n'));
  const scenario = stage.scenario({ answer: { text: 'One.' } }, { answer: { text: 'Two.' } });
  await simulated(scenario, '--model', 'claude-sonnet-4-5', 'hello there');
  const { err, exit } = await simulated(scenario, '--continue', '--agent', 'reviewer', 'hello again');
  expect(exit).toBe(0);
  expect(err).toMatch(/tokens are written again, \$/);
  expect(opened(logs()[0] ?? []).map(({ cause }) => cause)).toEqual(['initial', 'tools']);
});

test('an unknown or bad agent is refused before a session is created', async () => {
  own('reviewer.md', file(''));
  own('bad.md', file('tool: x\n'));
  const scenario = stage.scenario({ answer: { text: 'One.' } });
  const unknown = await simulated(scenario, '--agent', 'reviewr', 'hello there');
  expect([unknown.exit, unknown.err]).toEqual([3, expect.stringContaining('did you mean reviewer?')]);
  const bad = await simulated(scenario, '--agent', 'bad', 'hello there');
  expect([bad.exit, bad.err]).toEqual([3, expect.stringContaining('did you mean `tools`?')]);
  expect(() => logs()).toThrow('ENOENT');
});

test('a subagent with another model is in the log, in `show`, in `cost` and in the tree', async () => {
  own('cheap.md', file('model: haiku\ntools: [read]\n', 'Read only.'));
  const scenario = stage.scenario(
    { expect: { lastUserText: 'delegate' }, answer: calls('agent', { agent: 'cheap', task: 'What is it?' }) },
    { expect: { lastUserText: 'What is it?' }, answer: { text: 'It is a shop.' } },
    { expect: { toolResult: 'It is a shop.' }, answer: { text: 'A shop.' } },
  );
  const { err, out } = await simulated(scenario, 'delegate it');
  expect(out).toContain('A shop.');
  expect(err).toContain('subagent cheap (claude-haiku-5-5): running as session');
  const parent = logs().find((log) => log.some(({ kind }) => kind === 'subagent.started')) ?? [];
  expect(parent.find(({ kind }) => kind === 'subagent.started')?.data).toMatchObject({
    agent: { name: 'cheap', tools: ['read'] },
    model: 'claude-haiku-5-5',
    provider: 'anthropic',
  });
  const [, id = ''] = /session (\S+);/.exec(err) ?? [];
  const described = /\(cheap, claude-haiku-5-5 with a front of its own, tools read\): completed, \$0\.\d+/;
  expect((await tidemark(['show', id])).out).toMatch(described);
  expect((await tidemark(['cost', id])).out).toMatch(
    new RegExp(`${described.source}, \\$0\\.\\d+ of it for its first call`),
  );
  expect((await tidemark(['sessions', '--tree'])).out).toContain(`(cheap, claude-haiku-5-5)`);
});

test('the setting `subagents.model` needs the key of its provider before anything is sent', async () => {
  settings({ subagents: { model: 'gpt' } });
  const environment = { ANTHROPIC_API_KEY: 'k' };
  const { exit, err } = await tidemark(['run', 'hello there'], { environment });
  expect(exit).toBe(3);
  expect(err).toContain('there is no key for OpenAI, which the setting subagents.model = "gpt" needs');
  expect(() => logs()).toThrow('ENOENT');
});

test('`run` expands an own command, and refuses a built-in command of the terminal', async () => {
  place(join(stage.folder, '.agents/commands/greet.md'), 'Greet $1 with care.');
  const scenario = stage.scenario({
    expect: { lastUserText: 'Greet Ada with care.' },
    answer: { text: 'Hello, Ada.' },
  });
  expect((await simulated(scenario, '--trust', '/greet Ada')).out).toContain('Hello, Ada.');
  const { exit, err } = await simulated(scenario, '/cost');
  expect([exit, err]).toEqual([2, expect.stringContaining('/cost is a command of the interactive terminal')]);
  const path = stage.scenario({ expect: { lastUserText: '/etc is empty' }, answer: { text: 'So it is.' } });
  expect((await simulated(path, '/etc is empty')).out).toContain('So it is.');
});

test('the role of an agent of the folder is a note and never system text, also after the session is opened again', async () => {
  ofFolder('reviewer.md', file('tools: [read]\n', 'You review.'));
  await tidemark(['trust', '--yes']);
  const scenario = stage.scenario({ answer: { text: 'One.' } }, { answer: { text: 'Two.' } });
  await simulated(scenario, '--agent', 'reviewer', 'hello there');
  await simulated(scenario, '--continue', 'hello again');
  const [log = []] = logs();
  expect(opened(log)).toHaveLength(1);
  expect(JSON.stringify(opened(log)[0]?.['layers'])).not.toContain('"role"');
  expect(JSON.stringify(opened(log)[0]?.['tools'])).not.toContain('bash');
  const notes = log.filter(({ kind, data }) => kind === 'context.noted' && data['source'] === 'own-agent');
  expect(notes.map(({ data }) => data['body'])).toEqual([
    'In this session you are the agent "reviewer". The user chose it, and its instructions are:\n\nYou review.',
  ]);
});

test('`run --agent` names the tools of the agent that do not exist, with the nearest name, and accepts those of a server', async () => {
  own('reader.md', file('tools: [Read, grep, teleport, shop__list, fetch]\n'));
  settings({ mcp: { servers: { shop: { command: 'false' } } } });
  const { err } = await simulated(stage.scenario({ answer: { text: 'Done.' } }), '--agent', 'reader', 'look around');
  expect(err).toContain('notice: reader: tools: there is no tool `Read`; did you mean `read`?\n');
  expect(err).toContain('notice: reader: tools: there is no tool `teleport`; it can have read, write, ');
  expect(err).not.toMatch(/no tool `(grep|shop__list|fetch)`/);
  const { out } = await tidemark(['agents']);
  expect(out).toContain('! reader: tools: there is no tool `teleport`');
});
