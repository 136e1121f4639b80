// Tests that a turn applies permission rules, additional skill roots, and the settings `plan` and `memory`.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { ScenarioStep } from '@tidemark/simulator';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Choices, Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

let stage: Stage;

beforeEach(() => {
  stage = openStage();
});

afterEach(() => stage.clear());

function tidemark(args: readonly string[], choices: Choices = {}): Promise<Ran> {
  const environment = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, XDG_CONFIG_HOME: `${stage.home}-own` };
  return pretendRun(args, { folder: stage.folder, environment, ...choices });
}

function own(settings: object): void {
  write(join(`${stage.home}-own`, 'tidemark', 'tidemark.config.json'), settings);
}

function write(path: string, settings: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(settings));
}

describe('rules, skills, plan and memory from settings', () => {
  const script = (...steps: readonly ScenarioStep[]): readonly string[] => [
    'do it',
    '--provider',
    'simulator',
    '--scenario',
    stage.scenario(...steps),
  ];
  const writesNew = (): readonly string[] =>
    script({ answer: calls('write', { path: 'new.txt', content: 'x' }) }, { answer: { text: 'Done.' } });
  const made = (): boolean => existsSync(join(stage.folder, 'new.txt'));

  test('a deny rule of the user applies, and `config` shows its source', async () => {
    own({ permissions: { rules: [{ decision: 'deny', tool: 'write', paths: ['*.txt'] }] } });
    const ran = await tidemark([...writesNew(), '--mode', 'auto']);
    expect([ran.exit, made()]).toEqual([0, false]);
    expect(ran.err).toContain('write new.txt: denied');
    expect((await tidemark(['config'])).out).toMatch(/permissions\.rules\t\[\{"decision":"deny".*\tuser: /);
  });

  test("a folder's deny rule applies only once the folder is trusted, and its allow rule never applies", async () => {
    const rules = [
      { decision: 'allow', tool: 'write', paths: ['**'] },
      { decision: 'deny', tool: 'write', paths: ['new.txt'] },
    ];
    write(join(stage.folder, '.tidemark', 'config.json'), { permissions: { rules } });
    const { out } = await tidemark(['config', '--trust']);
    expect(out).toMatch(/not in effect: permissions\.rules .*only the user's own rules can allow/);
    expect(out).toMatch(/permissions\.rules\t\[\{"decision":"deny"[^}]*\}\]\tworkspace: /);
    await tidemark([...writesNew(), '--mode', 'auto', '--trust']);
    expect(made()).toBe(false);
    await tidemark([...writesNew(), '--mode', 'auto']);
    expect(made()).toBe(true);
  });

  test('a rule with an unknown tool stops the turn, and the error suggests the nearest name', async () => {
    own({ permissions: { rules: [{ decision: 'deny', tool: 'wirte' }] } });
    const ran = await tidemark(writesNew());
    expect(ran.exit).not.toBe(0);
    expect(ran.err).toContain('permissions.rules[0]: there is no tool wirte, did you mean write?');
    own({ permissions: { rules: [{ decision: 'deny', tool: 'memory_update' }] } });
    expect(await tidemark(writesNew())).toMatchObject({ exit: 0 });
  });

  test('an epoch has no tools `plan` and `memory_update` if the settings turn them off', async () => {
    const names = async (...more: readonly string[]): Promise<string> => {
      const ran = await tidemark([...script({ answer: { text: 'Done.' } }), ...more]);
      const session = /session ([\w-]+)/.exec(ran.err)?.[1] ?? '';
      return readFileSync(join(stage.home, 'sessions', session, 'log.ndjson'), 'utf8');
    };
    const has = (log: string, tool: string): boolean => log.includes(`"name":"${tool}"`);
    const plain = await names('--trust');
    expect([has(plain, 'memory_update'), has(plain, 'plan')]).toEqual([true, true]);
    own({ plan: false, memory: false });
    const set = await names('--trust');
    expect([has(set, 'memory_update'), has(set, 'plan')]).toEqual([false, false]);
  });

  test('additional skill roots are searched after the default roots, and a root inside an untrusted folder is ignored', async () => {
    const skill = (folder: string): void => {
      mkdirSync(join(folder, 'tax'), { recursive: true });
      writeFileSync(join(folder, 'tax', 'SKILL.md'), '---\nname: tax\ndescription: Files taxes.\n---\nAdd.\n');
    };
    const [mine, theirs] = [join(stage.home, 'mine'), join(stage.folder, 'theirs')];
    skill(mine);
    skill(theirs);
    own({ skillRoots: [theirs, mine] });
    const { out } = await tidemark(['skills']);
    expect(out).toContain(`settings: ${mine}\n`);
    expect(out).not.toContain(theirs);
    write(join(stage.folder, '.tidemark', 'config.json'), { cache: { ttl: '5m' } });
    await tidemark(['trust', '--yes']);
    expect((await tidemark(['skills'])).out).toContain(`because ${join(theirs, 'tax')} has the same name`);
  });

  test('the answer `a` allows the same commands in this session, also after a restart, but in no other session', async () => {
    const asked: string[] = [];
    const person = (question: string): string => {
      // A line that starts with `┆` continues the previous line, so the two lines are joined.
      asked.push(question.replaceAll('\n┆ ', ''));
      return question.includes('\na: ') ? 'a' : 'y';
    };
    const runs = (...commands: readonly string[]): readonly string[] =>
      script(...commands.map((command) => ({ answer: calls('bash', { command }) })), { answer: { text: 'Done.' } });
    await tidemark(runs('echo a && echo b', 'echo a', 'echo a > c', 'echo a > c'), { person });
    expect(asked).toEqual([
      expect.stringContaining(
        'bash echo a && echo b [ask/execute]\ny: allow this once\nn: deny; the model receives the text after n\n' +
          'a: exactly these 2 commands, in any order, also next to other allowed ones, in this session\n',
      ),
      expect.stringContaining('bash echo a > c [ask/execute]'),
    ]);
    asked.length = 0;
    await tidemark([...runs('echo b; echo a'), '--continue'], { person });
    expect(asked).toEqual([]);
    await tidemark(runs('echo b'), { person });
    expect(asked).toHaveLength(1);
  });
});
