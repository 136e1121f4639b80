// Tests forks on the simulator: `tidemark fork`, `rewind`, `sessions --tree`, `export`, and a run with another model.

import { openNdjsonStore } from '@tidemark/store-ndjson';
import type { Recorded } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

let stage: Stage;
let id: string;

beforeEach(async () => {
  stage = openStage();
  stage.write('note.txt', 'the word is swordfish\n');
  const scenario = stage.scenario(
    { answer: calls('read', { path: 'note.txt' }, 'I look.') },
    { answer: { text: 'It is swordfish.' } },
  );
  await tidemark('find the word', '--provider', 'simulator', '--scenario', scenario);
  await tidemark('--continue', 'and now?', '--provider', 'simulator');
  const [session] = (await openNdjsonStore({ home: stage.home }).sessions()).sessions;
  id = session?.session ?? expect.unreachable();
});

afterEach(() => stage.clear());

const tidemark = (...args: readonly string[]): Promise<Ran> =>
  pretendRun(args, {
    folder: stage.folder,
    environment: { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, A_TOKEN: 'tok-0123456789abcdef' },
  });

const json = async (...args: readonly string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await tidemark(...args, '--json')).out);

const recordsOf = (session: unknown): Promise<readonly Recorded[]> =>
  Array.fromAsync(openNdjsonStore({ home: stage.home }).read(sessionId(String(session))));

const sessionsOf = async (): Promise<readonly { readonly session: string; readonly depth?: number }[]> =>
  JSON.parse((await tidemark('sessions', '--tree', '--json')).out).sessions;

describe('`tidemark fork`', () => {
  test('creates a session from the end of another one, and its next turn inherits the epoch', async () => {
    const end = (await recordsOf(id)).length - 1;
    const said = await json('fork', id);
    expect(said).toMatchObject({
      session: id,
      parent: { session: id, position: end },
      left: null,
      open: null,
      summary: null,
      dryRun: false,
    });
    const fork = String(said['fork']);
    expect((await tidemark('--session', fork, 'go on', '--provider', 'simulator')).exit).toBe(0);
    const own = (await recordsOf(fork)).slice(end + 1);
    expect(own[0]).toMatchObject({ kind: 'session.created', data: { parent: { session: id, position: end } } });
    expect(own.flatMap((one) => (one.kind === 'request.prepared' ? [one.data.relation] : []))).toEqual(['inherits']);
    expect(await recordsOf(id)).toHaveLength(end + 1);
    expect((await tidemark('show', fork)).out).toContain(`a fork of ${id} after record ${end}`);
    expect((await tidemark('verify', fork)).exit).toBe(0);
    const { line } = await json('cost', id);
    expect((await json('cost', fork))['line']).toMatchObject({ before: Object(line).own });
    expect((await tidemark('cost', fork)).out).toContain('its line, with what was paid before the fork: $');
  });

  test('is refused inside an open call or turn, and the error names the nearest records before and after that turn', async () => {
    const records = await recordsOf(id);
    const called = records.findIndex(({ kind }) => kind === 'tool.started');
    const ran = await tidemark('fork', id, '--at', `@${called}`);
    const before = records.findIndex(({ kind }) => kind === 'turn.started') - 1;
    const after = records.findIndex(({ kind }) => kind === 'turn.ended');
    expect(ran).toMatchObject({ exit: 3, out: '' });
    expect(ran.err).toContain(`fork at record ${before} before it, or at record ${after} after it`);
    const returned = records.findIndex(({ kind }) => kind === 'tool.returned');
    expect((await tidemark('fork', id, '--at', String(returned))).err).toContain('where a turn has not ended');
    expect(await tidemark('fork', id, '--at', '9999')).toMatchObject({ exit: 3 });
    expect(await tidemark('fork', id, '--at', 'x')).toMatchObject({ exit: 2 });
    expect(await sessionsOf()).toHaveLength(1);
  });

  test('with --dry-run prints the plan and creates nothing', async () => {
    const ran = await tidemark('fork', id, '--at', '2', '--dry-run');
    expect(ran.out).toMatch(
      /^would fork from .*@2\n  not in the fork: \d+ records, 3 to \d+\n[^]*nothing was written\n$/,
    );
    expect(await sessionsOf()).toHaveLength(1);
  });
});

describe('`tidemark rewind`', () => {
  test('forks before the last prompt, and prints that files stay unchanged', async () => {
    const ran = await tidemark('rewind', id);
    expect(ran.out).toMatch(
      /^forked \S+ from \S+@\d+, before prompt 2: "and now\?"\n  not in the fork: [^]*files are unchanged\n/,
    );
    const [, fork] = await sessionsOf();
    const prompts = (await recordsOf(fork?.session)).filter(({ kind }) => kind === 'prompt.given');
    expect(prompts).toHaveLength(1);
  });

  test('accepts a prompt by number or record, and --summarize records a summary of the abandoned part in the fork', async () => {
    const at = (await recordsOf(id)).findIndex(({ kind }) => kind === 'prompt.given');
    const [byNumber, byRecord] = [await json('rewind', id, '--to', '1'), await json('rewind', id, '--to', `@${at}`)];
    expect(byNumber['parent']).toEqual(byRecord['parent']);
    const told = await json('rewind', id, '--to', '1', '--summarize');
    const summary = (await recordsOf(told['fork'])).find(({ kind }) => kind === 'branch.summarized');
    expect(summary?.data).toEqual(told['summary']);
    expect(JSON.stringify(told['summary'])).toContain('- find the word\\n- and now?');
    expect(JSON.stringify(told['summary'])).toContain('calls: read 1');
  });

  test('lists the prompts with --dry-run, and refuses a prompt that does not exist', async () => {
    const ran = await tidemark('rewind', id, '--dry-run');
    expect(ran.out).toMatch(/\n1\t\d+\t\S+\tfind the word\n2\t\d+\t\S+\tand now\?\n$/);
    expect(await tidemark('rewind', id, '--to', '3')).toMatchObject({
      exit: 3,
      err: expect.stringContaining('from 1 to 2'),
    });
    expect(await sessionsOf()).toHaveLength(1);
  });
});

test('`sessions --tree` lists each fork under its parent', async () => {
  const late = String((await json('fork', id))['fork']);
  const early = String((await json('fork', id, '--at', '2'))['fork']);
  const grandchild = String((await json('fork', late))['fork']);
  const placed = (await sessionsOf()).map(({ session, depth }) => [session, depth]);
  expect(placed).toEqual([
    [id, 0],
    [early, 1],
    [late, 1],
    [grandchild, 2],
  ]);
  expect((await tidemark('sessions', '--tree')).out).toContain(`\n  └ ${grandchild}\t`);
});

describe('another model', () => {
  const other = ['--continue', 'and you?', '--provider', 'simulator', '--model', 'claude-opus-5-5'] as const;
  const modelsOf = async (session: string): Promise<readonly string[]> =>
    (await recordsOf(session)).flatMap((one) => (one.kind === 'epoch.opened' ? [one.data.model] : []));

  test('continues in a fork, which a notice reports, and the session keeps its own model', async () => {
    const [kept] = await modelsOf(id);
    const ran = await tidemark(...other);
    expect(ran.err).toMatch(
      /^notice: claude-opus-5-5 continues in a fork of \S+@\d+, which keeps .* and its cache; `--in-place` stays/,
    );
    const [, fork] = await sessionsOf();
    expect(await modelsOf(id)).toEqual([kept]);
    expect(await modelsOf(fork?.session ?? '')).toEqual([kept, 'claude-opus-5-5']);
    expect((await tidemark('--session', fork?.session ?? '', 'and?', '--provider', 'simulator')).err).not.toContain(
      'fork',
    );
  });

  test('does not receive the reasoning of the previous model, which `show` and `export` still print', async () => {
    const scenario = stage.scenario({ answer: { thinking: 'Is it a fish?', text: 'Hm.' } });
    await tidemark('think of it', '--provider', 'simulator', '--scenario', scenario);
    const ran = await tidemark(...other, '--json');
    const fork = /"type":"session.forked","session":"([^"]+)"/.exec(ran.out)?.[1] ?? '';
    const shown = await tidemark('show', fork, '1');
    expect(shown.out).toMatch(/\nnot sent: reasoning of claude-\S+, record \d+: "Is it a fish\?"\n$/);
    expect(JSON.parse((await tidemark('show', fork, '1', '--json')).out).leftOut).toHaveLength(1);
    expect((await tidemark('export', fork)).out).toContain('> Is it a fish?');
  });

  test('is used in the session itself with --in-place, after a notice with the price', async () => {
    const ran = await tidemark(...other, '--in-place');
    expect(ran.err).toMatch(/^notice: the model changed: [\d,]+ tokens are written again, \$0\.\d+\. /);
    expect(await sessionsOf()).toHaveLength(1);
    expect((await modelsOf(id)).at(-1)).toBe('claude-opus-5-5');
  });
});

describe('`tidemark export`', () => {
  test('prints a fork as one Markdown document: prompts, answers, calls, results, and the summary of the abandoned branch', async () => {
    const fork = String((await json('rewind', id, '--summarize'))['fork']);
    const { out } = await tidemark('export', fork);
    expect(out.split('\n').filter((line) => line.startsWith('#'))).toEqual([
      '# find the word',
      '## Prompt',
      '### claude-sonnet-5-5',
      '### claude-sonnet-5-5',
      '## Abandoned branch',
    ]);
    expect(out).toContain('Calls `read`:\n\n```\n{"path":"note.txt"}\n```\n');
    expect(out).toContain(`The fork ${fork} continues`);
  });

  test('--format json prints one line per record with the session that owns it, and masks values that are secret now', async () => {
    const scenario = stage.scenario({ answer: { text: 'It is tok-fedcba9876543210.' } });
    await tidemark('--continue', 'and?', '--provider', 'simulator', '--scenario', scenario);
    const fork = String((await json('fork', id))['fork']);
    const ran = await pretendRun(['export', fork, '--format', 'json'], {
      environment: { TIDEMARK_HOME: stage.home, B_TOKEN: 'tok-fedcba9876543210' },
    });
    const lines = ran.out
      .trimEnd()
      .split('\n')
      .map((line): { session: string; kind: string } => JSON.parse(line));
    const records = await recordsOf(fork);
    expect(lines.map(({ kind }) => kind)).toEqual(records.map(({ kind }) => kind));
    expect(lines.map(({ session }) => session)).toEqual([...records.slice(1).map(() => id), fork]);
    expect(JSON.stringify(records)).toContain('tok-fedcba9876543210');
    expect(ran.out).not.toContain('tok-fedcba9876543210');
    expect(ran.out).toContain('[secret:B_TOKEN]');
  });
});
