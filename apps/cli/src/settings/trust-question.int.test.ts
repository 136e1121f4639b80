// Tests the trust question at a terminal. The user sees everything that would take effect before the answer is
// accepted. If the list cannot be shown completely, the question is not asked.

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ListeningSimulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { HostileRepository } from '../../tests/hostile-repository.ts';
import { hostileRepository } from '../../tests/hostile-repository.ts';
import type { Choices, Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';

let door: ListeningSimulator;
let repository: HostileRepository;

beforeEach(async () => {
  const simulator = createSimulator({ scenario: { steps: [{ answer: { text: 'It is a shop.' } }] } });
  door = await simulator.listen();
  repository = hostileRepository(door.url);
  mkdirSync(join(repository.ownConfiguration, 'tidemark'), { recursive: true });
  const settings = { baseUrl: { anthropic: door.url }, model: 'claude-sonnet-4-5' };
  writeFileSync(join(repository.ownConfiguration, 'tidemark', 'tidemark.config.json'), JSON.stringify(settings));
});

afterEach(async () => {
  await door.close();
  repository.clear();
});

function tidemark(args: readonly string[], choices: Choices = {}): Promise<Ran> {
  const { folder, home, ownConfiguration } = repository;
  const key = ['key', 'of', 'the', 'user', '0123456789'].join('-');
  const environment = {
    PATH: process.env['PATH'],
    HOME: folder,
    TIDEMARK_HOME: home,
    XDG_CONFIG_HOME: ownConfiguration,
    ANTHROPIC_API_KEY: key,
  };
  return pretendRun(args, { folder, environment, ...choices });
}

describe('the trust question', () => {
  const long = { command: 'node', args: Array.from({ length: 2_000 }, (_, index) => `--flag-${index}`) };
  const sh = (): object => ({ command: 'sh', args: ['-c', `touch ${join(repository.traces, 'second')}`] });
  const setServers = (servers: object): void =>
    repository.write('.tidemark/config.json', JSON.stringify({ mcp: { servers } }));

  interface Seen {
    readonly asked: string[];
    readonly person: (question: string) => string;
  }

  function answering(answerTo: (question: string) => string): Seen {
    const asked: string[] = [];
    const person = (question: string): string => {
      asked.push(question);
      return answerTo(question);
    };
    return { asked, person };
  }

  function linesIn(asked: readonly string[]): string {
    return asked
      .join('\n')
      .replaceAll(/\n\[page \d+ of \d+\] Enter: next page, q: stop \(counts as no\) \n/g, '\n')
      .replaceAll('\n    | ', '');
  }

  test.each(['run', 'trust'])(
    'of `%s` shows the second server completely after a long harmless one',
    async (command) => {
      setServers({ docs: long, zz: sh() });
      const { asked, person } = answering((question) => (question.includes('Use all of this') ? 'n' : ''));
      await tidemark(command === 'run' ? ['run', 'hello'] : ['trust'], { person, rows: 24 });
      const shown = linesIn(asked);
      expect(shown).toContain(`\n  MCP server docs runs: node ${long.args.join(' ')}\n`);
      expect(shown).toContain(`\n  MCP server zz runs: sh -c 'touch ${join(repository.traces, 'second')}'\n`);
      expect(asked.length).toBeGreaterThan(10);
      for (const page of asked) expect(page.split('\n').length).toBeLessThanOrEqual(24);
      expect(asked.filter((page) => page.includes('Use all of this'))).toEqual([asked.at(-1)]);
      expect(readdirSync(repository.traces)).toEqual([]);
    },
  );

  test('counts as declined and is recorded if the user leaves it with `q` before the last page', async () => {
    setServers({ docs: long, zz: sh() });
    const { asked, person } = answering(() => (asked.length === 2 ? 'q' : ''));
    await tidemark(['run', 'hello', '--mode', 'read-only'], { person, rows: 24 });
    expect(asked).toHaveLength(2);
    expect(asked.join()).not.toContain('Use all of this');
    expect(readdirSync(repository.traces)).toEqual([]);
    expect((await tidemark(['trust', '--list'])).out).toContain('declined');
  });

  test.each<[string, object]>([
    ['characters', { docs: { command: 'node', args: ['x'.repeat(70_000)] } }],
    ['lines', Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`s${at}`, { command: 'x' }]))],
  ])('is not asked if the list has too many %s, and nothing is trusted', async (_what, servers) => {
    setServers({ ...servers, zz: sh() });
    const { asked, person } = answering((question) => (question.includes('Use all of this') ? 'y' : ''));
    const ran = await tidemark(['run', 'hello', '--mode', 'read-only'], { person });
    const trusting = await tidemark(['trust'], { person });
    expect(asked.filter((question) => question.includes('Use all of this'))).toEqual([]);
    expect(ran.err).toContain('are not used, because the list is too long for a question: ');
    expect(ran.err).toContain('check .tidemark/config.json; `tidemark trust --yes` trusts the folder as it is');
    expect(trusting).toMatchObject({
      exit: 3,
      err: expect.stringContaining('the list is too long for a question'),
    });
    expect(readdirSync(repository.traces)).toEqual([]);
    expect((await tidemark(['trust', '--list'])).out).toBe('there is no decision about any folder\n');
    const given = await tidemark(['trust', '--yes']);
    expect(given).toMatchObject({ exit: 0, err: expect.stringContaining('not shown: the list is too long') });
  });

  test.each<[string, string, string]>([
    ['is not JSON', '{ "mode": ', 'config.json:1 is not JSON'],
    ['has an unknown key', '{ "mode": "auto", "colour": 1 }', 'colour'],
    ['has a wrong value', '{ "mode": "everything" }', 'mode'],
    ['has a key twice', '{ "mode": "ask", "mode": "auto" }', 'twice'],
  ])('is not asked if the configuration %s, and nothing is recorded, even with --yes', async (_, text, reason) => {
    repository.write('.tidemark/config.json', text);
    repository.write('.agents/skills/pay/SKILL.md', '---\nname: pay\ndescription: Pays.\n---\nPay.\n');
    const { asked, person } = answering((question) => (question.includes('Use all of this') ? 'y' : ''));
    for (const args of [['trust'], ['trust', '--yes']]) {
      const ran = await tidemark(args, { person });
      expect(ran.exit).not.toBe(0);
      expect(ran.err).toContain(reason);
      expect(ran.out).not.toContain('trusted');
    }
    const ran = await tidemark(['run', 'hello', '--mode', 'read-only'], { person });
    expect(ran.err).toContain('the settings, skills and memory of this folder are not used');
    expect(ran.err).toContain(reason);
    expect(asked.filter((question) => question.includes('Use all of this'))).toEqual([]);
    expect((await tidemark(['trust', '--list'])).out).toBe('there is no decision about any folder\n');
  });

  test('shows terminal control characters as escapes in each line', async () => {
    const args = ['\u001b[1A\u001b[2K', 'a\u202etxt', 'n\u043ede\n  MCP server good runs: true'];
    setServers({ evil: { command: 'no\u2066de', args } });
    const { asked, person } = answering(() => 'n');
    await tidemark(['run', 'hello'], { person });
    expect(asked[0]).not.toMatch(/[\u001b\u202a-\u202e\u2066-\u2069]/);
    expect(linesIn(asked)).toContain(
      "  MCP server evil runs: $'no\\u{2066}de' $'\\u{1b}[1A\\u{1b}[2K' $'a\\u{202e}txt' $'n\\u{43e}de\\n  MCP server good runs: true'",
    );
  });

  test('shows the same lines as `tidemark trust` does with --yes or without a terminal', async () => {
    const { asked, person } = answering(() => 'n');
    await tidemark(['run', 'hello'], { person });
    const lines = linesIn(asked).split('\n').slice(1, -1);
    expect(lines.length).toBeGreaterThan(8);
    const notices = (ran: Ran): readonly string[] => ran.err.split('\n').filter((line) => line.startsWith('  '));
    const unasked = await tidemark(['trust']);
    expect(unasked.exit).toBe(2);
    expect(notices(unasked).join('')).toBe(lines.join(''));
    expect(notices(await tidemark(['trust', '--yes'])).join('')).toBe(lines.join(''));
  });

  test('trusts nothing if the folder changed before the answer', async () => {
    setServers({ zz: sh() });
    const { asked, person } = answering(() => {
      setServers({ zz: sh(), more: { command: `./${asked.length}` } });
      return 'y';
    });
    const ran = await tidemark(['run', 'hello', '--mode', 'read-only'], { person });
    expect(ran.err).toContain('are not used, because they changed while the question was open');
    expect((await tidemark(['trust'], { person })).exit).toBe(3);
    expect(readdirSync(repository.traces)).toEqual([]);
    expect((await tidemark(['trust', '--list'])).out).toBe('there is no decision about any folder\n');
  });

  test('states that servers start in every mode, and "yes" starts them even in the mode read-only', async () => {
    setServers({ zz: sh() });
    const { asked, person } = answering(() => 'y');
    await tidemark(['run', 'hello', '--mode', 'read-only'], { person });
    expect(asked[0]).toContain('\n  Servers start immediately, in every mode.\n');
    expect(readdirSync(repository.traces)).toEqual(['second']);
  });
});
