// Tests the setting `hooks` on real files: which hooks apply, what a workspace may set, the files that trust covers, and
// refused values.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { SettingsRequest, SettledSettings } from './settle.ts';
import { readSettings, settingsBrought } from './settle.ts';
import type { TrustState } from './trust.ts';
import { judgeTrust, recordTrust } from './trust.ts';
import { readBrought } from './workspace-contents.ts';

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-hook-settings-')));
  mkdirSync(join(root, 'work'));
});

afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const own = (...hooks: readonly object[]): void => write('own/tidemark.config.json', JSON.stringify({ hooks }));
const workspace = (...hooks: readonly object[]): void => write('work/.tidemark/config.json', JSON.stringify({ hooks }));

async function settle(given: Partial<SettingsRequest> = {}): Promise<SettledSettings> {
  const brought = await readBrought(join(root, 'work'));
  return readSettings({
    providers: ['anthropic'],
    folder: join(root, 'own'),
    environment: {},
    brought,
    trusted: true,
    ...given,
  });
}

const guard = { on: 'before-tool', run: ['node', 'guard.mjs'], tools: ['bash'] };
const lint = { on: 'after-tool', run: 'npm run lint', timeoutMs: 30_000 };

describe('the hooks in force', () => {
  test('are those of all sources together, and a workspace cannot remove a hook of the user', async () => {
    own(guard);
    workspace(lint);
    const environment = { TIDEMARK_HOOKS: JSON.stringify([{ on: 'turn-ended', run: 'notify' }]) };
    const { settings, effective } = await settle({ environment });
    expect(settings.hooks).toEqual([{ on: 'turn-ended', run: 'notify' }, { ...lint, sandbox: true }, guard]);
    expect(effective.find(({ name }) => name === 'hooks')?.place).toContain(`${root}/own/tidemark.config.json:1`);
  });

  test('of a workspace need trust, and run in the sandbox whatever the workspace says', async () => {
    workspace({ ...guard, sandbox: false });
    const untrusted = await settle({ trusted: false });
    expect([untrusted.settings, untrusted.ignored.map(({ name }) => name)]).toEqual([{}, ['hooks']]);
    expect((await settle()).settings.hooks).toEqual([{ ...guard, sandbox: true }]);
  });

  test('of the user may ask for the sandbox', async () => {
    own({ ...guard, sandbox: true, name: 'guard of bash', whenItFails: 'continue' });
    expect((await settle()).settings.hooks).toMatchObject([{ sandbox: true, name: 'guard of bash' }]);
  });

  test('of a workspace are separate from its other settings that need trust', async () => {
    workspace(guard);
    const brought = settingsBrought(await readBrought(join(root, 'work')), ['anthropic']);
    expect(brought).toMatchObject({ hooks: [guard], leaves: [] });
  });
});

test.each([
  [{ on: 'PreToolUse', run: 'x' }, 'hooks.0.on'],
  [{ on: 'before-tool' }, 'hooks.0.run'],
  [{ on: 'before-tool', run: [] }, 'hooks.0.run'],
  [{ on: 'before-tool', run: ' ' }, 'hooks.0.run'],
  [{ on: 'before-tool', run: [' '] }, 'hooks.0.run'],
  [{ on: 'before-prompt', run: 'x', tools: ['bash'] }, 'a hook on before-prompt is not asked about tools'],
  [{ on: 'after-tool', run: 'x', whenItFails: 'deny' }, 'a hook on after-tool cannot deny'],
  [{ on: 'before-tool', run: 'x', timeoutMs: 60_001 }, 'expected at most 60000'],
  [{ on: 'before-tool', run: 'x', name: 'a\nb' }, 'expected a name of 1 to 60 visible ASCII characters'],
  [{ on: 'before-tool', run: 'x', allow: true }, 'there is no setting'],
])('the hook %j is refused with its place', async (hook, words) => {
  own(hook);
  await expect(settle()).rejects.toMatchObject({
    code: 'settings/not-usable',
    message: expect.stringContaining(words),
  });
});

describe('trust in a workspace with hooks', () => {
  async function stateAfter(change: () => void): Promise<TrustState> {
    const home = join(root, 'home');
    const read = () => readBrought(join(root, 'work'));
    await recordTrust(home, await read(), { decision: 'trusted', at: '2026-11-23T10:00:00.000Z' });
    expect(await judgeTrust(home, await read())).toBe('trusted');
    change();
    return judgeTrust(home, await read());
  }

  test.each([
    ['a program with arguments', ['node', 'hooks/check.mjs']],
    ['a program of the workspace', ['./hooks/check.mjs']],
    ['a line for the shell', 'cd hooks && node check.mjs'],
    ['a script of package.json', 'npm run check'],
  ])('is asked for again if a file changes that a hook starts by %s', async (_name, run) => {
    write('work/package.json', JSON.stringify({ scripts: { check: 'node hooks/check.mjs' } }));
    write('work/hooks/check.mjs', 'allowed()');
    workspace({ on: 'before-tool', run });
    expect(await stateAfter(() => write('work/hooks/check.mjs', 'changed()'))).not.toBe('trusted');
    const { namedBy } = await readBrought(join(root, 'work'));
    const [only] = namedBy;
    expect([namedBy.length, only?.by]).toEqual([1, 'hooks.0']);
    expect(only?.paths.some((path) => `${root}/work/hooks/check.mjs`.startsWith(path))).toBe(true);
  });

  test('is kept if another file changes', async () => {
    write('work/hooks/check.mjs', 'allowed()');
    workspace({ on: 'before-tool', run: ['node', 'hooks/check.mjs'] });
    expect(await stateAfter(() => write('work/README.md', 'changed'))).toBe('trusted');
  });
});
