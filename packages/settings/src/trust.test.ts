// Tests, on real folders, which changes to the contents of a workspace end its trust.

import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { readBrought, readBroughtConfiguration } from './workspace-contents.ts';
import type { TrustState } from './trust.ts';
import { canKeepTrust, judgeTrust, listTrust, recordTrust, revokeTrust } from './trust.ts';

const AT = '2026-11-21T10:00:00.000Z';
const CONFIGURATION = '.tidemark/config.json';
const SKILL = '.agents/skills/tax/SKILL.md';

let root: string;
let folder: string;
let home: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-trust-')));
  [folder, home] = [join(root, 'work'), join(root, 'home')];
  mkdirSync(folder);
});

afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  const full = join(folder, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
}

async function trust(decision: 'trusted' | 'declined' = 'trusted'): Promise<void> {
  await recordTrust(home, await readBrought(folder), { decision, at: AT });
}

async function state(path: string = folder): Promise<TrustState> {
  return judgeTrust(home, await readBrought(path));
}

test('a workspace is not trusted if the user was never asked', async () => {
  expect(await state()).toBe('unknown');
  expect(await listTrust(home)).toEqual([]);
});

describe('a trusted workspace', () => {
  beforeEach(async () => {
    write(CONFIGURATION, '{}');
    write(SKILL, 'tax');
    write('.agents/skills/tax/scripts/sum.sh', 'sum');
    await trust();
  });

  test('stays trusted at its real path and through a link to it', async () => {
    symlinkSync(folder, join(root, 'link'));
    expect([await state(), await state(join(root, 'link'))]).toEqual(['trusted', 'trusted']);
    expect(await listTrust(home)).toEqual([
      { workspace: folder, decision: 'trusted', at: AT, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
  });

  test('has a record that only its owner can read', () => {
    const [name = ''] = readdirSync(join(home, 'trust'));
    expect([statSync(join(home, 'trust')).mode & 0o777, statSync(join(home, 'trust', name)).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
  });

  test.each<[string, () => void]>([
    ['its configuration', () => write(CONFIGURATION, '{ }')],
    ['a skill', () => write(SKILL, 'tix')],
    ['a script of a skill', () => write('.agents/skills/tax/scripts/sum.sh', 'rm')],
    ['the name of a file', () => renameSync(join(folder, SKILL), join(folder, '.agents/skills/tax/SKILL.mf'))],
    ['the place of text between two files', () => [write(CONFIGURATION, ''), write(SKILL, '{}tax')]],
    ['a file that is gone', () => rmSync(join(folder, SKILL))],
    ['a link that is new', () => symlinkSync('/etc/passwd', join(folder, '.agents/skills/tax/more'))],
  ])('must be trusted again after a change of %s', async (_what, change) => {
    change();
    expect(await state()).toBe('changed');
  });

  test('stays trusted after a change of memory or code, which trust does not cover', async () => {
    for (const path of ['.tidemark/MEMORY.md', '.tidemark/USER.md', 'src/main.ts']) write(path, 'new');
    expect(await state()).toBe('trusted');
    expect(await readBrought(folder)).toMatchObject({ memory: true, skills: ['tax'] });
  });

  test('must be trusted again if an instruction file appears, and stays trusted if its content changes', async () => {
    write('AGENTS.md', 'Run the tests.');
    expect(await state()).toBe('changed');
    await recordTrust(home, await readBrought(folder), { decision: 'trusted', at: AT });
    write('AGENTS.md', 'Run no tests.');
    expect(await state()).toBe('trusted');
  });

  test('is not trusted at another path', async () => {
    renameSync(folder, join(root, 'moved'));
    expect(await state(join(root, 'moved'))).toBe('unknown');
  });

  test('is unknown after its trust is revoked, even if the folder was deleted', async () => {
    rmSync(folder, { recursive: true });
    expect([await revokeTrust(home, folder), await revokeTrust(home, folder)]).toEqual([true, false]);
    mkdirSync(folder);
    expect(await state()).toBe('unknown');
  });

  test('is refused if its record is damaged', async () => {
    const [name = ''] = readdirSync(join(home, 'trust'));
    writeFileSync(join(home, 'trust', name), '{"revision":1');
    await expect(state()).rejects.toMatchObject({ code: 'settings/trust-damaged' });
    await expect(listTrust(home)).rejects.toMatchObject({ code: 'settings/trust-damaged' });
  });
});

test('a declined workspace is unknown again after its contents change', async () => {
  write(CONFIGURATION, '{}');
  await trust('declined');
  expect(await state()).toBe('declined');
  write(CONFIGURATION, '{"mode":"ask"}');
  expect(await state()).toBe('unknown');
});

test('a home inside the workspace cannot keep trust, existing or not, directly or through a link', async () => {
  const inside = join(folder, 'deep', 'home');
  const brought = await readBrought(folder);
  symlinkSync(folder, join(root, 'around'));
  for (const each of [inside, folder, join(root, 'around', 'home')]) {
    expect(await canKeepTrust(each, brought.workspace)).toBe(false);
    await expect(recordTrust(each, brought, { decision: 'trusted', at: AT })).rejects.toMatchObject({
      code: 'settings/trust-inside',
    });
    expect(await judgeTrust(each, brought)).toBe('unknown');
  }
  expect(await canKeepTrust(`${folder}-beside`, brought.workspace)).toBe(true);
});

describe('the contents of a workspace', () => {
  test('are empty without configuration and skills, even if other files exist', async () => {
    write('tidemark.config.ts', 'throw 1');
    expect(await readBrought(folder)).toMatchObject({ skills: [], memory: false });
    expect(await readBroughtConfiguration(folder)).toEqual({ workspace: folder });
  });

  test('are refused with an error if the configuration is reached through a link', async () => {
    writeFileSync(join(root, 'secret.json'), '{"mode":"auto"}');
    mkdirSync(join(folder, '.tidemark'));
    symlinkSync(join(root, 'secret.json'), join(folder, CONFIGURATION));
    await expect(readBrought(folder)).rejects.toMatchObject({ code: 'settings/unreadable' });
    rmSync(join(folder, '.tidemark'), { recursive: true });
    mkdirSync(join(root, 'elsewhere'));
    writeFileSync(join(root, 'elsewhere', 'config.json'), '{"mode":"auto"}');
    symlinkSync(join(root, 'elsewhere'), join(folder, '.tidemark'));
    await expect(readBrought(folder)).rejects.toMatchObject({ code: 'settings/unreadable' });
  });

  test('include skills at a link inside the workspace, but not at a link out of it', async () => {
    write('.claude/skills/tax/SKILL.md', 'tax');
    mkdirSync(join(folder, '.agents'));
    symlinkSync(join(folder, '.claude', 'skills'), join(folder, '.agents', 'skills'));
    expect(await readBrought(folder)).toMatchObject({ skills: ['tax'], skillsRoot: join(folder, '.claude/skills') });
    rmSync(join(folder, '.agents', 'skills'));
    mkdirSync(join(root, 'foreign', 'tax'), { recursive: true });
    symlinkSync(join(root, 'foreign'), join(folder, '.agents', 'skills'));
    expect(await readBrought(folder)).not.toHaveProperty('skillsRoot');
  });

  test('are refused if they are too large or cannot be read', async () => {
    write(CONFIGURATION, ' '.repeat(300_000));
    await expect(readBrought(folder)).rejects.toMatchObject({ code: 'settings/too-much' });
    await expect(readBrought(join(root, 'none'))).rejects.toMatchObject({ code: 'settings/unreadable' });
    rmSync(join(folder, CONFIGURATION));
    write(SKILL, 'tax');
    chmodSync(join(folder, SKILL), 0o000);
    const seen = await readBrought(folder).then(
      () => 'read',
      () => 'refused',
    );
    // Root can read every file, so the refused read succeeds for root.
    expect(seen).toBe(process.getuid?.() === 0 ? 'read' : 'refused');
  });
});

describe('a record of trust', () => {
  beforeEach(async () => {
    write(CONFIGURATION, '{}');
    await trust();
  });

  const record = (): string => {
    const [name = ''] = readdirSync(join(home, 'trust'));
    return join(home, 'trust', name);
  };

  test('is refused if it is a link', async () => {
    const path = record();
    renameSync(path, join(folder, 'record.json'));
    symlinkSync(join(folder, 'record.json'), path);
    await expect(state()).rejects.toMatchObject({
      code: 'settings/trust-damaged',
      message: `${path} is a symbolic link: its decision is not used`,
    });
  });

  test('is neither used nor written if its folder is a link into the workspace', async () => {
    renameSync(join(home, 'trust'), join(folder, 'trust'));
    symlinkSync(join(folder, 'trust'), join(home, 'trust'));
    expect(await state()).toBe('unknown');
    await expect(trust()).rejects.toMatchObject({ code: 'settings/trust-inside' });
  });

  test.skipIf(process.getuid === undefined)('is refused if every user can write it', async () => {
    chmodSync(record(), 0o666);
    await expect(state()).rejects.toMatchObject({
      message: `${record()} can be written by every user (mode 0666): its decision is not used`,
    });
  });

  const cannotChown = process.getuid?.() === 0 ? '' : ' (skipped: only root can give a file to another user)';
  describe.skipIf(cannotChown !== '')(`that root reads${cannotChown}`, () => {
    const USER = 4_321;

    test('is refused if it belongs to another user', async () => {
      chownSync(record(), USER, USER);
      await expect(state()).rejects.toMatchObject({
        code: 'settings/trust-damaged',
        message: `${record()} belongs to the user ${USER}: its decision is not used`,
      });
    });

    test('is refused if its folder belongs to another user', async () => {
      chownSync(join(home, 'trust'), USER, USER);
      await expect(state()).rejects.toMatchObject({
        message: `${record()} is in a folder that belongs to the user ${USER}: its decision is not used`,
      });
    });

    test('is accepted if the home belongs to the same user, as with `sudo`', async () => {
      for (const path of [home, join(home, 'trust'), record()]) chownSync(path, USER, USER);
      expect(await state()).toBe('trusted');
      chownSync(record(), USER + 1, USER);
      await expect(state()).rejects.toMatchObject({ message: expect.stringContaining(`the user ${USER + 1}`) });
      chownSync(record(), 0, 0);
      expect(await state()).toBe('trusted');
    });
  });
});
