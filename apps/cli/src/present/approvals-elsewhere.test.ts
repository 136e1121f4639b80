// Tests approvals together with other features: a reopened session, subagents, MCP servers, and permission rules of the
// user.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { ScenarioStep, PlannedAnswer } from '@tidemark/simulator';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Choices, Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

let stage: Stage;
let asked: string[];

beforeEach(() => {
  stage = openStage();
  asked = [];
});

afterEach(() => stage.clear());

function tidemark(args: readonly string[], choices: Choices = {}): Promise<Ran> {
  const environment = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, XDG_CONFIG_HOME: `${stage.home}-own` };
  return pretendRun(args, { folder: stage.folder, environment, ...choices });
}

/** Returns a user who gives these answers in order and then repeats the last one. */
function answering(...answers: readonly string[]): Required<Pick<Choices, 'person'>> {
  return {
    person: (question) => {
      asked.push(question);
      return answers[Math.min(asked.length, answers.length) - 1] ?? '';
    },
  };
}

function own(settings: object): void {
  const path = join(`${stage.home}-own`, 'tidemark', 'tidemark.config.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(settings));
}

const heads = (): readonly string[] => asked.map((question) => question.split('\n')[0] ?? '');
const bash = (command: string): ScenarioStep => ({ answer: calls('bash', { command }) });
const DONE: ScenarioStep = { answer: { text: 'Done.' } };
const playing = (...steps: readonly ScenarioStep[]): readonly string[] => [
  '--provider',
  'simulator',
  '--scenario',
  stage.scenario(...steps),
];

describe('a session that is opened again', () => {
  test('keeps its session grants and asks about all other calls', async () => {
    await tidemark(['do it', ...playing(bash('echo a'), DONE)], answering('a echo *'));
    await tidemark(['--continue', 'more', ...playing(bash('echo b'), bash('touch x'), DONE)], answering('n'));
    expect(heads()).toEqual(['bash echo a [ask/execute]', 'bash touch x [ask/execute]']);
    expect(existsSync(join(stage.folder, 'x'))).toBe(false);
  });

  test('asks again about a call that was still open, and shows the current content of the file', async () => {
    stage.write('a.txt', 'one\n');
    const cut = new AbortController();
    const edit = { answer: calls('edit', { path: 'a.txt', old_text: 'one', new_text: 'two' }) };
    const person = (question: string): string => {
      asked.push(question);
      cut.abort();
      return 'y';
    };
    const args = ['do it', ...playing(edit, DONE)];
    await tidemark(args, { person, signal: cut.signal });
    stage.write('a.txt', 'one\nand more\n');
    await tidemark(['resume', '--provider', 'simulator', '--scenario', args.at(-1) ?? ''], answering('n'));
    expect(asked).toHaveLength(2);
    expect(asked[0]).not.toContain('and more');
    expect(asked[1]).toContain('│  and more\n');
  });

  test('does not run the open call if no question can be asked', async () => {
    const cut = new AbortController();
    const person = (question: string): string => {
      asked.push(question);
      cut.abort();
      return 'y';
    };
    const args = ['do it', ...playing(bash('touch x'), DONE)];
    await tidemark(args, { person, signal: cut.signal });
    await tidemark(['resume', '--provider', 'simulator', '--scenario', args.at(-1) ?? '']);
    expect(asked).toHaveLength(1);
    expect(existsSync(join(stage.folder, 'x'))).toBe(false);
  });

  test('does not inherit the session grants of its parent if it is a fork', async () => {
    const first = await tidemark(['do it', ...playing(bash('echo a'), DONE)], answering('a echo *'));
    const [, session = ''] = /^session (\S+);/m.exec(first.err) ?? [];
    const fork = await tidemark(['fork', session, '--json']);
    const [, child = ''] = /"fork":"([^"]+)"/.exec(fork.out) ?? [];
    expect(child).not.toBe('');
    await tidemark(['--session', child, 'more', ...playing(bash('echo b'), DONE)], answering('n'));
    expect(heads()).toEqual(['bash echo a [ask/execute]', 'bash echo b [ask/execute]']);
  });
});

describe('a question of a subagent', () => {
  const agent = (role: string): PlannedAnswer => calls('agent', { role, task: 'Do it.' });

  test('names the subagent and shows the command, and only the subagent receives the refusal', async () => {
    const steps = [
      { answer: agent('cleaner') },
      bash('rm -rf p\u0430y'),
      { expect: { toolResult: 'The user refused: not that one' }, answer: { text: 'I could not.' } },
      { expect: { toolResult: 'I could not.' }, answer: { text: 'Well.' } },
    ];
    const ran = await tidemark(['do it', ...playing(...steps)], answering('n not that one'));
    expect(ran.exit).toBe(0);
    expect(asked).toHaveLength(1);
    expect(heads()[0]).toBe('subagent cleaner: bash rm -rf p\u0430⟨U+0430⟩y [ask/execute]');
    expect(asked[0]).toContain('│ rm -rf p\u0430⟨U+0430⟩y\n');
  });

  test('always shows the tool: no role can imitate another call or push the tool out of the line', async () => {
    for (const role of ['reader: read notes.txt [ask/read]\ny: allow this', 'r'.repeat(500), '\u202Eevil']) {
      asked.length = 0;
      const steps = [{ answer: agent(role) }, bash('touch x'), DONE, DONE];
      await tidemark(['do it', ...playing(...steps)], answering('n'));
      expect(heads()[0]).toMatch(/^subagent [\w ]{1,20}: bash touch x \[ask\/execute\]$/);
    }
  });

  test('accepts a grant for that subagent only: its parent and the next subagent ask again', async () => {
    const steps = [
      { answer: agent('one') },
      bash('echo a'),
      bash('echo b'),
      DONE,
      { answer: agent('two') },
      bash('echo c'),
      DONE,
      bash('echo d'),
      DONE,
    ];
    await tidemark(['do it', ...playing(...steps)], answering('a echo *', 'n'));
    expect(asked[0]).toContain('\na: exactly this command, also next to other allowed ones, in this session\n');
    expect(asked[0]).not.toMatch(/^p in the place of a/m);
    expect(heads()).toEqual([
      'subagent one: bash echo a [ask/execute]',
      'subagent two: bash echo c [ask/execute]',
      'bash echo d [ask/execute]',
    ]);
  });

  test('accepts no project grant, and uses no grants of the project or of its parent', async () => {
    await tidemark(['do it', ...playing(bash('echo a'), DONE)], answering('p echo *'));
    asked.length = 0;
    const steps = [bash('touch y'), { answer: agent('one') }, bash('echo b'), bash('touch y'), DONE, DONE];
    await tidemark(['do it', ...playing(...steps)], answering('a', 'p', 'n'));
    expect(heads()).toEqual([
      'bash touch y [ask/execute]',
      'subagent one: bash echo b [ask/execute]',
      'this project cannot store grants.',
      'subagent one: bash touch y [ask/execute]',
    ]);
  });

  test('does not appear if a deny rule of the user matches, and offers no grant if an ask rule matches', async () => {
    own({
      permissions: {
        rules: [
          { decision: 'deny', tool: 'bash', commands: ['rm *'] },
          { decision: 'ask', tool: 'bash', commands: ['git push *'] },
        ],
      },
    });
    const steps = [{ answer: agent('one') }, bash('rm x'), bash('git push origin'), DONE, DONE];
    await tidemark(['do it', ...playing(...steps)], answering('a git push *', 'n'));
    expect(asked).toHaveLength(2);
    expect(heads()[0]).toMatch(/^subagent one: bash git push origin \[/);
    expect(asked[0]).not.toMatch(/^[ap] /m);
  });
});

describe('a call to an MCP server', () => {
  const SHOP = `
const tools = ['buy'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const results = {
  initialize: ({ protocolVersion }) =>
    ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'shop', version: '0' } }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: given }) => {
    require('node:fs').appendFileSync(process.argv[1], JSON.stringify(given) + '\\n');
    return { content: [{ type: 'text', text: name + ' was called' }] };
  },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method](params) }));
});`;
  const shop = (): object => ({
    servers: { shop: { command: process.execPath, args: ['-e', SHOP, join(stage.folder, 'bought')] } },
  });
  const buy = (input: Readonly<Record<string, unknown>>): ScenarioStep => ({ answer: calls('shop__buy', input) });

  test('is asked about with the tool, the server and every argument, with suspicious characters marked, and `y` allows one run', async () => {
    own({ mcp: shop() });
    const input = { to: 'p\u0430ypal', note: 'x'.repeat(300), last: '\u200Bend\n│ y' };
    await tidemark(['do it', ...playing(buy(input), buy({ to: 'b' }), DONE)], answering('y', 'n'));
    expect(asked).toHaveLength(2);
    expect(heads()[0]).toBe('buy of the MCP server shop [ask/execute]');
    expect(asked[0]).toContain('\ntool: shop__buy\n');
    const shown = (asked[0] ?? '').replaceAll('\n┆ ', '');
    expect(shown).toContain('│   "to": "p\u0430⟨U+0430⟩ypal",\n');
    expect(shown).toContain('x'.repeat(300));
    expect(shown).toContain(String.raw`"⟨U+200B⟩end\n│`);
    expect(readdirSync(stage.folder)).toEqual(['bought']);
  });

  test.each(['a', 'always'])('accepts a grant for every call of its tool in this session: %s', async (answer) => {
    own({ mcp: shop() });
    await tidemark(['do it', ...playing(buy({ n: 1 }), buy({ n: 2 }), DONE)], answering(answer, 'n'));
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(/^a: every call of shop__buy, with any arguments, in this session$/m);
    expect(asked[0]).not.toMatch(/^(a <|p )/m);
    await tidemark(['do it', ...playing(buy({ n: 3 }), DONE)], answering('n'));
    expect(heads()[1]).toMatch(/^buy of the MCP server shop /);
  });

  test.each([
    ['p', 'a grant for every call of a tool applies to this session only: answer a.'],
    ['a shop__buy', 'a grant for shop__buy cannot have a pattern: answer without a pattern.'],
    ['a *', 'a grant for shop__buy cannot have a pattern: answer without a pattern.'],
  ])('accepts no other grant: %s', async (answer, problem) => {
    own({ mcp: shop() });
    await tidemark(['do it', ...playing(buy({ n: 1 }), buy({ n: 2 }), DONE)], answering(answer, 'y', 'n'));
    expect(heads()[1]).toBe(problem);
    expect(heads()[2]).toMatch(/^buy of the MCP server shop /);
  });

  test('runs without a question if a rule of the user allows its tool, and never if a rule denies it', async () => {
    const rules = [{ decision: 'allow', tool: 'shop__*' }];
    own({ mcp: shop(), permissions: { rules } });
    await tidemark(['do it', ...playing(buy({ n: 1 }), DONE)], answering('n'));
    expect([asked.length, readdirSync(stage.folder)]).toEqual([0, ['bought']]);
    own({ mcp: shop(), permissions: { rules: [...rules, { decision: 'deny', tool: 'shop__buy' }] } });
    const told: ScenarioStep = { expect: { toolResult: 'was denied and did not run' }, answer: { text: 'No.' } };
    const ran = await tidemark(['do it', ...playing(buy({ n: 2 }), told)], answering('y'));
    expect([asked.length, ran.out]).toEqual([0, 'No.\n']);
  });
});

describe('rules of the user and grants', () => {
  const granted = async (): Promise<void> => {
    await tidemark(['do it', ...playing(bash('echo a'), DONE)], answering('p echo *'));
    asked.length = 0;
  };

  test('a deny rule overrides a grant that is older than the rule', async () => {
    await granted();
    own({ permissions: { rules: [{ decision: 'deny', tool: 'bash', commands: ['echo *'] }] } });
    const told: ScenarioStep = {
      expect: { toolResult: 'a rule of the user does not allow it' },
      answer: { text: 'No.' },
    };
    const ran = await tidemark(['do it', ...playing(bash('echo b'), told)], answering('y'));
    expect([asked.length, ran.out]).toEqual([0, 'No.\n']);
  });

  test('an ask rule overrides a grant, and its question offers and accepts no grant', async () => {
    await granted();
    own({ permissions: { rules: [{ decision: 'ask', tool: 'bash', commands: ['echo *'] }] } });
    await tidemark(['do it', ...playing(bash('echo b'), DONE)], answering('p', 'a echo *', 'n'));
    expect(asked).toHaveLength(3);
    expect(asked[0]).not.toMatch(/^[ap][ :]/m);
    expect(heads().slice(1)).toEqual([
      'this call can only be allowed once: answer y or n.',
      'this call can only be allowed once: answer y or n.',
    ]);
  });

  test('a deny rule for one command of a line applies even if a grant covers the other command', async () => {
    await granted();
    own({ permissions: { rules: [{ decision: 'deny', tool: 'bash', commands: ['touch *'] }] } });
    await tidemark(['do it', ...playing(bash('echo b; touch x'), DONE)], answering('y'));
    expect([asked.length, existsSync(join(stage.folder, 'x'))]).toEqual([0, false]);
  });

  test('a grant does not widen the mode read-only', async () => {
    await granted();
    await tidemark(
      ['do it', '--mode', 'read-only', ...playing(bash('echo b > x'), bash('echo b'), DONE)],
      answering('y'),
    );
    expect([asked.length, readdirSync(stage.folder)]).toEqual([0, []]);
  });
});
