// Tests project grants on real folders.

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
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Granted } from '@tidemark/log';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { keepGrant, listGrants, openGrants, revokeGrants } from './grants.ts';

const AT = '2026-11-22T10:00:00.000Z';
const NPM: Granted = { tool: 'bash', patterns: ['npm test *'] };
const SRC: Granted = { tool: 'edit', folders: ['src'], paths: ['a'], hosts: ['b'], commands: [['c', 'd']] };

let root: string;
let folder: string;
let home: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-grants-')));
  [folder, home] = [join(root, 'work'), join(root, 'home')];
  mkdirSync(folder);
});

afterEach(() => rmSync(root, { recursive: true }));

const keep = (grant: Granted): Promise<void> => keepGrant(home, folder, { grant, at: AT });
const fileOf = (workspace: string): string =>
  join(home, 'grants', `${createHash('sha256').update(workspace).digest('hex')}.json`);

describe('grants of a project', () => {
  test('are empty at first, and revoking none creates no file', async () => {
    expect(await listGrants(home, folder)).toEqual([]);
    expect(await (await openGrants(home, folder))?.kept()).toEqual([]);
    await revokeGrants(home, folder, () => true);
    expect(() => statSync(fileOf(folder))).toThrow('ENOENT');
  });

  test('are stored only in the home, under the real path of the workspace, readable by the owner only', async () => {
    await keep(NPM);
    await keep(SRC);
    await keep(NPM);
    expect(await listGrants(home, folder)).toEqual([
      { grant: NPM, at: AT },
      { grant: SRC, at: AT },
    ]);
    expect(readdirSync(folder)).toEqual([]);
    const name = `${createHash('sha256').update(folder).digest('hex')}.json`;
    expect(readdirSync(join(home, 'grants'))).toEqual([name, `${name}.lock`]);
    expect((statSync(fileOf(folder)).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(join(home, 'grants')).mode & 0o777).toString(8)).toBe('700');
  });

  test('belong to one workspace, for any path that leads to it, and to no other', async () => {
    await keep(NPM);
    symlinkSync(folder, join(root, 'link'));
    mkdirSync(join(root, 'other'));
    expect(await listGrants(home, join(root, 'link'))).toHaveLength(1);
    expect(await listGrants(home, join(root, 'other'))).toEqual([]);
    expect(await listGrants(home, root)).toEqual([]);
  });

  test('are read again at each access, so that a revoked grant is gone at once', async () => {
    const grants = await openGrants(home, folder);
    await grants?.keep(NPM);
    await keep(SRC);
    expect(await grants?.kept()).toEqual([NPM, SRC]);
    expect(await revokeGrants(home, folder, (_, index) => index === 0)).toMatchObject([{ grant: NPM }]);
    expect(await grants?.kept()).toEqual([SRC]);
    expect(await revokeGrants(home, folder, () => true)).toHaveLength(1);
    expect(await listGrants(home, folder)).toEqual([]);
  });

  test('are neither stored nor applied if the home is inside the workspace, directly or through a link', async () => {
    symlinkSync(folder, join(root, 'around'));
    for (const inside of [join(folder, 'home'), folder, join(root, 'around', 'home')]) {
      expect(await openGrants(inside, folder)).toBeUndefined();
      await expect(keepGrant(inside, folder, { grant: NPM, at: AT })).rejects.toMatchObject({
        code: 'settings/grants-inside',
      });
      mkdirSync(join(inside, 'grants'), { recursive: true });
      const name = `${createHash('sha256').update(folder).digest('hex')}.json`;
      const planted = { revision: 1, workspace: folder, grants: [{ grant: NPM, at: AT }] };
      writeFileSync(join(inside, 'grants', name), JSON.stringify(planted));
      expect(await listGrants(inside, folder)).toEqual([]);
    }
  });

  test.each([
    '',
    '{',
    '[]',
    '{"revision":2}',
    '{"revision":1,"workspace":"x","grants":[{"at":"","grant":{"tool":1}}]}',
  ])('are refused with an error if the file is damaged: %s', async (text) => {
    await keep(NPM);
    writeFileSync(fileOf(folder), text);
    await expect(openGrants(home, folder)).rejects.toMatchObject({ code: 'settings/grants-damaged' });
    await expect(keep(SRC)).rejects.toMatchObject({ code: 'settings/grants-damaged' });
  });

  test.each([
    ['a link', 'is a symbolic link: its grants are not used'],
    ['a folder', 'is not a file: its grants are not used'],
  ])('are refused with the reason if the file is %s', async (what, words) => {
    await keep(NPM);
    const file = fileOf(folder);
    renameSync(file, join(root, 'elsewhere.json'));
    if (what === 'a link') symlinkSync(join(root, 'elsewhere.json'), file);
    else mkdirSync(file);
    const refused = { code: 'settings/grants-damaged', message: `${file} ${words}` };
    await expect(listGrants(home, folder)).rejects.toMatchObject(refused);
    await expect(openGrants(home, folder)).rejects.toMatchObject(refused);
    await expect(keep(SRC)).rejects.toMatchObject(refused);
  });

  test('are refused if the folder of grants is a link into the workspace, and nothing is written there', async () => {
    const planted = join(folder, 'planted');
    mkdirSync(planted);
    mkdirSync(home);
    symlinkSync(planted, join(home, 'grants'));
    const refused = {
      code: 'settings/grants-damaged',
      message: `${join(home, 'grants')} is a link into ${folder}: its grants are not used`,
    };
    await expect(listGrants(home, folder)).rejects.toMatchObject(refused);
    await expect(openGrants(home, folder)).rejects.toMatchObject(refused);
    await expect(keep(NPM)).rejects.toMatchObject(refused);
    await expect(revokeGrants(home, folder, () => true)).rejects.toMatchObject(refused);
    expect(readdirSync(planted)).toEqual([]);
  });

  test('are stored in a folder that is a link to a place outside the workspace', async () => {
    mkdirSync(join(root, 'dotfiles'), { mode: 0o700 });
    mkdirSync(home);
    symlinkSync(join(root, 'dotfiles'), join(home, 'grants'));
    await keep(NPM);
    expect(await listGrants(home, folder)).toHaveLength(1);
  });

  test.skipIf(process.getuid === undefined)('are refused if every user can write the file or its folder', async () => {
    await keep(NPM);
    const file = fileOf(folder);
    chmodSync(file, 0o666);
    const code = 'settings/grants-damaged';
    const message = `${file} can be written by every user (mode 0666): its grants are not used`;
    await expect(listGrants(home, folder)).rejects.toMatchObject({ code, message });
    await expect(openGrants(home, folder)).rejects.toMatchObject({ code, message });
    await expect(keep(SRC)).rejects.toMatchObject({ code, message });
    chmodSync(file, 0o600);
    chmodSync(join(home, 'grants'), 0o777);
    await expect(listGrants(home, folder)).rejects.toMatchObject({
      message: `${file} is in a folder that can be written by every user (mode 0777): its grants are not used`,
    });
    chmodSync(join(home, 'grants'), 0o700);
    expect(await listGrants(home, folder)).toHaveLength(1);
  });

  test("apply if the owner's group can write the file", async () => {
    await keep(NPM);
    chmodSync(fileOf(folder), 0o660);
    expect(await listGrants(home, folder)).toHaveLength(1);
  });

  const cannotChown = process.getuid?.() === 0 ? '' : ' (skipped: only root can give a file to another group)';
  test.skipIf(cannotChown !== '')(`are refused if another group can write the file${cannotChown}`, async () => {
    await keep(NPM);
    const file = fileOf(folder);
    chownSync(file, 0, 4_321);
    chmodSync(file, 0o660);
    await expect(listGrants(home, folder)).rejects.toMatchObject({
      message: `${file} can be written by the group 4321 (mode 0660): its grants are not used`,
    });
    chmodSync(file, 0o640);
    expect(await listGrants(home, folder)).toHaveLength(1);
  });

  test.skipIf(cannotChown !== '')(
    `apply for root if the file belongs to root or to the owner of the home${cannotChown}`,
    async () => {
      await keep(NPM);
      const file = fileOf(folder);
      chownSync(file, 4_321, 4_321);
      await expect(listGrants(home, folder)).rejects.toMatchObject({
        message: `${file} belongs to the user 4321: its grants are not used`,
      });
      chownSync(home, 4_321, 4_321);
      expect(await listGrants(home, folder)).toHaveLength(1);
    },
  );

  test('for another workspace are ignored in the file of this workspace', async () => {
    await keep(NPM);
    const moved = { revision: 1, workspace: join(root, 'other'), grants: [{ grant: NPM, at: AT }] };
    writeFileSync(fileOf(folder), JSON.stringify(moved));
    expect(await listGrants(home, folder)).toEqual([]);
  });

  test('that are given at the same time are all stored', async () => {
    const given = Array.from({ length: 12 }, (_, i): Granted => ({ tool: 'edit', folders: [`f${i}`] }));
    await Promise.all(given.map(keep));
    expect((await listGrants(home, folder)).flatMap(({ grant }) => grant.folders ?? []).toSorted()).toEqual(
      given.flatMap(({ folders = [] }) => folders).toSorted(),
    );
    expect(readdirSync(join(home, 'grants'))).toHaveLength(2);
  });

  test('are stored despite an old lock of a process that was killed', async () => {
    await keep(NPM);
    writeFileSync(`${fileOf(folder)}.lock`, '');
    utimesSync(`${fileOf(folder)}.lock`, 0, 0);
    await keep(SRC);
    expect(await listGrants(home, folder)).toHaveLength(2);
  });
});
