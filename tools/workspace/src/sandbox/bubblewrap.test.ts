// The arguments of the sandbox, as data.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Hidden } from './bubblewrap.ts';
import { bubblewrapArguments, hiddenPaths } from './bubblewrap.ts';

const hide = (path: string, as: Hidden['as'] = 'folder'): Hidden => ({ path, as });

describe('the sandbox', () => {
  it('is read-only but for the workspace, and hides what it is told', () => {
    const hidden = [hide('/home/me/.ssh'), hide('/home/me/.netrc', 'file')];
    expect(bubblewrapArguments({ workspace: '/home/me/shop', hidden }).join(' ')).toBe(
      '--die-with-parent --unshare-pid --unshare-ipc --cap-drop ALL ' +
        '--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp ' +
        '--bind /home/me/shop /home/me/shop ' +
        '--tmpfs /home/me/.ssh --ro-bind /dev/null /home/me/.netrc ' +
        '--setenv TMPDIR /tmp --chdir /home/me/shop --',
    );
  });

  it('lays what is kept over the workspace, and what is hidden over both', () => {
    const argv = bubblewrapArguments({ workspace: '/w', kept: ['/w/.git'], hidden: [hide('/w/.git/key', 'file')] });
    const [workspace, kept, hidden] = ['/w', '/w/.git', '/w/.git/key'].map((path) => argv.indexOf(path));
    expect(argv[(kept ?? 0) - 1]).toBe('--ro-bind');
    expect([workspace, kept, hidden]).toEqual([workspace, kept, hidden].toSorted((a = 0, b = 0) => a - b));
  });

  it('hides keys also where the workspace is the home', () => {
    const argv = bubblewrapArguments({ workspace: '/home/me', hidden: [hide('/home/me/.ssh')] });
    expect(argv.lastIndexOf('/home/me/.ssh')).toBeGreaterThan(argv.indexOf('--bind'));
  });

  it('leaves the workspace in sight where what holds it is hidden', () => {
    const argv = bubblewrapArguments({ workspace: '/logs/worktree', hidden: [hide('/logs')] });
    expect(argv.indexOf('/logs')).toBeLessThan(argv.indexOf('--bind'));
  });

  it('shows a workspace in the temporary folder, which it covers', () => {
    const argv = bubblewrapArguments({ workspace: '/tmp/shop', hidden: [] });
    expect(argv.indexOf('/tmp')).toBeLessThan(argv.indexOf('--bind'));
  });

  it('covers what exists: folders, files, and no links', () => {
    const home = mkdtempSync(join(tmpdir(), 'tidemark-home-'));
    try {
      mkdirSync(join(home, '.ssh'));
      mkdirSync(join(home, 'log'));
      writeFileSync(join(home, '.netrc'), '');
      symlinkSync(join(home, 'log'), join(home, '.aws'));
      const found = hiddenPaths(home, [join(home, 'log'), join(home, 'absent')]).filter(({ path }) =>
        path.startsWith(home),
      );
      expect(found).toEqual([hide(join(home, '.ssh')), hide(join(home, '.netrc'), 'file'), hide(join(home, 'log'))]);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
