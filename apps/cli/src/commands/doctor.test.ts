// Tests `tidemark doctor` on real home folders.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PROVIDERS } from '@tidemark/kit';
import type { Digest, Event } from '@tidemark/log';
import { digest as digestOf, sessionId, timestamp } from '@tidemark/log';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import { openStage } from '../../tests/scenario.ts';
import { inspectSessions } from '../doctor/session-checks.ts';
import { checkSize } from '../doctor/storage-checks.ts';
import { checkSandbox } from '../doctor/surroundings-checks.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tidemark-doctor-'));
});

afterEach(() => rmSync(home, { recursive: true }));

function doctor(...args: readonly string[]): Promise<Ran> {
  return pretendRun(['doctor', ...args], { environment: { TIDEMARK_HOME: home } });
}

async function record(name: string): Promise<string> {
  const id = sessionId(name);
  const at = timestamp('2026-11-20T09:30:00.000Z');
  const prompt = (text: string): Event => ({
    kind: 'prompt.given',
    at,
    data: { parts: [{ type: 'text', text }], presenter: 'test' },
  });
  const writer = await openNdjsonStore({ home }).create(id);
  await writer.append(
    [{ kind: 'session.created', at, data: { id, root: id, workspace: '/w' } }, prompt('first'), prompt('second')],
    0,
  );
  await writer.close();
  return join(home, 'sessions', name, 'log.ndjson');
}

/** Changes letters in the second line of the log (default: one letter). Returns the byte offset of that line. */
function damage(path: string, becomes = 'forst'): number {
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace('first', becomes));
  return text.indexOf('\n') + 1;
}

test('`doctor` reports a home that does not exist yet as good, and ends with 0', async () => {
  const { exit, out } = await pretendRun(['doctor'], { environment: { TIDEMARK_HOME: join(home, 'none') } });
  expect(exit).toBe(0);
  expect(out).toMatch(/good +home: .*does not exist yet/);
});

test('`doctor` reports intact sessions as good, with the number of their records', async () => {
  await record('one');
  await record('two');
  const { exit, out } = await doctor();
  expect(exit).toBe(0);
  expect(out).toMatch(/good +session one: 3 records/);
  expect(out).toContain('2 sessions, 6 records, 0 damaged');
});

test('`doctor` uses the singular for one session', async () => {
  await record('one');
  expect((await doctor()).out).toContain('\n1 session, 3 records, 0 damaged');
});

test('`doctor` warns about a home that other users can read', async () => {
  chmodSync(home, 0o755);
  const { exit, out } = await doctor();
  expect(exit).toBe(0);
  expect(out).toContain(`other users have access (0755)\n         next: chmod 700 ${home}`);
});

const VARIABLES = Object.values(PROVIDERS).flatMap(({ variable }) => variable ?? []);

test('`doctor` reports for each provider whether its key is set, and never prints the key', async () => {
  const environment = { TIDEMARK_HOME: home, ANTHROPIC_API_KEY: 'very-secret', OPENAI_API_KEY: ' ' };
  const text = await pretendRun(['doctor'], { environment });
  const json = await pretendRun(['doctor', '--json'], { environment });
  expect(text.out).toContain('ANTHROPIC_API_KEY is set');
  expect(JSON.parse(json.out)).toMatchObject({
    keys: [
      { variable: 'ANTHROPIC_API_KEY', present: true },
      ...[...VARIABLES.slice(1), 'BRAVE_API_KEY'].map((variable) => ({ variable, present: false })),
    ],
  });
  expect(text.out).toContain('GROQ_API_KEY is not set (groq; untested: no real call was made)');
  expect(text.out).toContain('ollama at http://127.0.0.1:11434/v1');
  expect(`${text.out}${text.err}${json.out}`).not.toContain('very-secret');
});

test('`doctor` reports whether a sandbox confines commands, and the consequence if none does', async () => {
  const { out } = await doctor();
  expect(out).toMatch(/^(good|warning) +sandbox: bubblewrap /m);
  expect(checkSandbox('works')).toMatchObject({
    state: 'good',
    found: expect.stringContaining('in mode auto without asking'),
  });
  for (const state of ['blocked', 'missing', 'not-here'] as const)
    expect(checkSandbox(state).found, state).toContain('they ask first in every mode');
  expect(checkSandbox('missing')).toMatchObject({ state: 'warning', next: expect.stringContaining('bwrap') });
});

test('`doctor` reports whether the system has a keyring', async () => {
  expect((await doctor()).out).toMatch(/good +keyring: optional, and not available here.*only from the environment\. /);
  const keyring = { get: async () => undefined, set: async () => undefined, remove: async () => false };
  const { out } = await pretendRun(['doctor'], { environment: { TIDEMARK_HOME: home }, keyring });
  expect(out).toMatch(/good +keyring: can be used/);
});

test('`doctor` reports damage with path, line, offset, phase and repair command, and ends with 4', async () => {
  await record('sound');
  const path = await record('torn');
  const offset = damage(path);
  const json = await doctor('--json');
  expect(json.exit).toBe(4);
  const report: { healthy: boolean; sessions: { session: string }[] } = JSON.parse(json.out);
  expect(report.healthy).toBe(false);
  expect(report.sessions.find((each) => each.session === 'sound')).toMatchObject({ state: 'good', records: 3 });
  expect(report.sessions.find((each) => each.session === 'torn')).toMatchObject({
    state: 'failed',
    records: 1,
    damage: { path, line: 2, offset, phase: 'checksum', soundBehind: 1 },
    next: 'tidemark doctor --repair torn',
  });
  const text = await doctor();
  expect(text.out).toContain(`${path}, line 2, byte ${offset} (checksum)`);
  expect(text.out).toContain('2 sessions, 4 records, 1 damaged');
});

test('a repair creates a new session and leaves the damaged one unchanged, byte for byte', async () => {
  const path = await record('torn');
  damage(path);
  const before = readFileSync(path);
  expect(JSON.parse((await doctor('--repair', 'torn', '--json')).out)).toMatchObject({
    repaired: 'torn',
    session: 'torn-repaired',
    records: 3,
    mended: 1,
    lost: [],
    damage: { line: 2 },
  });
  expect(readFileSync(path)).toEqual(before);
  expect((await doctor('--repair', 'torn')).out).toBe(
    '3 records of torn were copied to torn-repaired-2, 1 of them corrected and proven by the digest chain; torn is unchanged\n',
  );
  expect((await doctor()).out).toMatch(/good +session torn-repaired: 3 records/);
});

test('`doctor` finds and names a changed byte at every offset of a record, and repairs it without loss', async () => {
  const path = await record('torn');
  const sound = readFileSync(path);
  const offset = sound.indexOf(0x0a) + 1;
  const saidIn = async (name: string): Promise<readonly unknown[]> => {
    const records = await Array.fromAsync(openNdjsonStore({ home }).read(sessionId(name)));
    return records.slice(1).map(({ kind, data }) => ({ kind, data }));
  };
  const said = await saidIn('torn');
  for (let at = offset; at <= sound.indexOf(0x0a, offset); at += 1) {
    const changed = Buffer.from(sound).fill((sound[at] ?? 0) ^ ([0x01, 0x80, 0xff][at % 3] ?? 0), at, at + 1);
    writeFileSync(path, changed);
    const { exit, out } = await doctor('--repair', 'torn', '--json');
    expect([at, exit]).toEqual([at, 0]);
    const { session, ...repair } = JSON.parse(out);
    expect([at, repair]).toMatchObject([at, { records: 3, lost: [], damage: { path, line: 2, offset } }]);
    expect(await saidIn(session)).toEqual(said);
    expect(readFileSync(path)).toEqual(changed);
    rmSync(join(home, 'sessions', session), { recursive: true });
  }
});

test('a repair keeps all intact records and names the lost ones', async () => {
  const offset = damage(await record('torn'), 'gone!');
  const { exit, out } = await doctor('--repair', 'torn');
  expect([exit, out]).toEqual([
    0,
    `2 records of torn were copied to torn-repaired; torn is unchanged\n` +
      `position 1 is lost (line 2, byte ${offset}, 198 bytes); the new session records the loss\n`,
  ]);
});

test('`doctor` reports and repairs damage in the first line too', async () => {
  const path = await record('torn');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"workspace"', '"workspade"'));
  const { exit, out } = await doctor();
  expect(exit).toBe(4);
  expect(out).toContain(`${path}, line 1, byte 0 (checksum)`);
  expect(out).toContain('next: tidemark doctor --repair torn');
  expect((await doctor('--repair', 'torn')).out).toMatch(/^3 records of torn were copied to torn-repaired, 1 of them/);
});

test('`doctor` names a damaged artifact, and ends with 4', async () => {
  const { digest } = await openNdjsonStore({ home }).artifacts.put(Buffer.from('an output'));
  const path = join(home, 'artifacts', digest.slice(0, 2), digest);
  writeFileSync(path, 'an outpux');
  const { exit, out } = await doctor();
  expect(exit).toBe(4);
  expect(out).toContain(`failed   artifacts: 1 artifacts, 9 B, 1 damaged:\n         ${path}\n`);
});

test('`doctor` names a damaged snapshot, which is not used, and ends with 0', async () => {
  await record('one');
  const path = join(home, 'sessions', 'one', 'snapshot');
  writeFileSync(path, 'no snapshot');
  const { exit, out } = await doctor();
  expect(exit).toBe(0);
  expect(out).toContain(`3 records; its snapshot is damaged and not used\n         next: rm ${path}\n`);
});

test('`doctor` suggests `--gc` when the home is large', async () => {
  await record('one');
  expect(await checkSize(home)).toMatchObject({ state: 'good' });
  expect(await checkSize(home, 100)).toMatchObject({
    state: 'warning',
    next: '`tidemark doctor --gc` removes unused artifacts',
  });
});

test('`--gc` removes artifacts that no log names and reports the freed bytes; with --dry-run it only reports them', async () => {
  await record('one');
  const { digest } = await openNdjsonStore({ home }).artifacts.put(Buffer.from('nobody names this'));
  const path = join(home, 'artifacts', digest.slice(0, 2), digest);
  expect((await doctor('--gc')).out).toContain('and 1 artifact (17 B) that a running session may still name');
  utimesSync(path, 0, 0);
  expect((await doctor('--gc', '--dry-run')).out).toBe(
    'would remove 1 artifact (17 B) that no log names; would keep 0 artifacts (0 B) that a log names\n',
  );
  expect(JSON.parse((await doctor('--gc', '--json')).out)).toMatchObject({
    dryRun: false,
    removed: { files: 1, bytes: 17 },
    young: { files: 0, bytes: 0 },
    named: { files: 0, bytes: 0 },
  });
  expect(existsSync(path)).toBe(false);
  expect((await doctor('--dry-run')).exit).toBe(2);
  expect((await doctor('--gc', '--repair', 'one')).exit).toBe(2);
});

test('the error for a log that cannot be repaired does not suggest a repair', async () => {
  writeFileSync(await record('one'), 'nothing of it is left\n');
  const { exit, err } = await doctor('--repair', 'one');
  expect([exit, err]).toEqual([4, expect.stringContaining('cannot be recovered')]);
  expect(err).not.toContain('--repair');
});

/** Puts something at the path of a log. Returns a function that cleans up after the test. */
type Put = (path: string) => Promise<() => void>;
const putting =
  (put: (path: string) => void): Put =>
  async (path) => (put(path), () => undefined);

const LOST: readonly (readonly [string, Put, string])[] = [
  ['is gone', putting(() => undefined), 'its log is missing: there is no '],
  ['is a folder', putting((path) => mkdirSync(path)), 'log.ndjson is a folder'],
  ['is a socket', listenAt, 'log.ndjson is a socket or a device'],
  ['was emptied', putting(emptied), 'its records are missing: '],
];

test.each(LOST)(
  'a session whose log %s is reported with the next step, and the other sessions are still listed',
  async (_, put, reason) => {
    await record('sound');
    const path = await record('lost');
    rmSync(path);
    const close = await put(path);
    const listed = await pretendRun(['sessions'], { environment: { TIDEMARK_HOME: home } });
    const looked = await doctor();
    const repaired = await doctor('--repair', 'lost');
    close();
    expect(listed).toMatchObject({ exit: 0, err: expect.stringContaining(reason) });
    expect(listed.out).toContain('sound');
    expect(listed.err).toMatch(/^unreadable: lost: .*; see `tidemark doctor`\n$/s);
    expect(looked.exit).toBe(4);
    expect(looked.out).toMatch(/good +session sound: 3 records/);
    expect(looked.out).toContain(reason);
    expect(looked.out).toContain('\n         next: restore the session folder from a backup, or move it away\n');
    expect(looked.out).toContain('2 sessions, 3 records, 1 damaged');
    expect([repaired.exit, repaired.out]).toEqual([4, '']);
    expect(repaired.err).toContain('session lost cannot be repaired, because none of its records can be read: ');
    expect(repaired.err).toContain('nothing was changed; restore the session folder from a backup, or move it away');
    expect(existsSync(join(home, 'sessions', 'lost-repaired'))).toBe(false);
  },
);

/** Puts a socket at the path. No user can open a socket as a file, not even root. */
async function listenAt(path: string): Promise<() => void> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  return () => void server.close();
}

function emptied(path: string): void {
  writeFileSync(path, '');
  writeFileSync(join(path, '..', 'snapshot'), 'of more than nothing');
}

test('a session that was created and never written is not counted', async () => {
  const path = await record('begun');
  writeFileSync(path, '');
  expect((await doctor()).out).toContain('0 sessions, 0 records, 0 damaged');
});

test('--repair refuses a session that does not exist and an invalid session id', async () => {
  expect((await doctor('--repair', 'nobody')).exit).toBe(3);
  expect((await doctor('--repair', '../up')).exit).toBe(3);
});

/** Creates a session whose records refer to these artifacts. Does not store the artifacts themselves. */
async function recordNaming(name: string, ...digests: readonly Digest[]): Promise<void> {
  const writer = await openNdjsonStore({ home }).create(sessionId(name));
  const at = timestamp('2026-11-20T09:30:00.000Z');
  const created = { id: sessionId(name), root: sessionId(name), workspace: '/w' };
  const images = digests.map((artifact) => ({ type: 'image', artifact, mediaType: 'image/png', bytes: 3 }) as const);
  const prompt: Event = { kind: 'prompt.given', at, data: { parts: images, presenter: 'test' } };
  await writer.append([{ kind: 'session.created', at, data: created }, prompt], 0);
  await writer.close();
}

test('`doctor` names a missing artifact with the session and position that need it, and ends with 4', async () => {
  const { digest: kept } = await openNdjsonStore({ home }).artifacts.put(Buffer.from('kept'));
  const gone = digestOf('ab'.repeat(32));
  await recordNaming('whole', kept);
  await recordNaming('lacking', kept, gone);
  const path = join(home, 'artifacts', 'ab', gone);
  const { exit, out } = await doctor();
  expect(exit).toBe(4);
  expect(out).toMatch(/good +session whole: 2 records\n/);
  expect(out).toMatch(/failed +session lacking: 2 records; 1 artifact is missing:\n/);
  expect(out).toContain(
    `\n         record 1 (prompt.given): ${path}\n         next: restore these files from a backup`,
  );
  expect(out).toContain('2 sessions, 4 records, 1 damaged');
  const json: { readonly healthy: boolean; readonly sessions: readonly object[] } = JSON.parse(
    (await doctor('--json')).out,
  );
  expect(json).toMatchObject({ healthy: false });
  expect(json.sessions).toContainEqual(
    expect.objectContaining({
      session: 'lacking',
      state: 'failed',
      missing: [{ digest: gone, path, position: 1, kind: 'prompt.given' }],
    }),
  );
});

test('`doctor` names 20 of many missing artifacts and counts the others', async () => {
  const many = Array.from({ length: 25 }, (_, index) => digestOf(index.toString(16).padStart(64, 'c')));
  await recordNaming('lacking', ...many);
  const { out } = await doctor();
  expect(out).toContain('25 artifacts are missing:');
  expect(out.match(/record 1 \(prompt\.given\)/g)).toHaveLength(20);
  expect(out).toContain('\n         and 5 more\n');
});

test('`doctor` finds each deleted artifact of a real session', async () => {
  const stage = openStage();
  onTestFinished(() => stage.clear());
  const environment = { TIDEMARK_HOME: stage.home };
  const ran = await pretendRun(['hello there', '--provider', 'simulator'], { folder: stage.folder, environment });
  expect(ran.exit).toBe(0);
  // This function calls `inspectSessions` directly. `doctor` also tests the sandbox, which takes longer than this whole
  // test.
  const stateOf = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { state, found: words } of inspectSessions(openNdjsonStore({ home: stage.home }), stage.home))
      found.push(state, words);
    return found;
  };
  expect(await stateOf()).toEqual(['good', expect.any(String)]);
  const entries = readdirSync(join(stage.home, 'artifacts'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    renameSync(path, `${path}-away`);
    expect(await stateOf()).toEqual(['failed', expect.stringContaining(name.slice(0, 64))]);
    renameSync(`${path}-away`, path);
  }
  expect(files.length).toBeGreaterThan(2);
});
