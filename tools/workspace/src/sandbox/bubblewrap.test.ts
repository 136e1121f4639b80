// The arguments of the sandbox, as data.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bubblewrapArguments } from './bubblewrap.ts';
import type { Hidden } from './hidden-paths.ts';
import { hiddenPaths } from './hidden-paths.ts';

const hide = (path: string, as: Hidden['as'] = 'folder'): Hidden => ({ path, as });

describe('the sandbox', () => {
  it('is read-only outside of the workspace, without a network, and hides what it is told', () => {
    const hidden = [hide('/home/me/.ssh'), hide('/home/me/.netrc', 'file')];
    const argv = bubblewrapArguments({ workspace: '/home/me/shop', hidden, network: 'none' }).join(' ');
    const [before, after] = argv.split(/ --ro-bind-try .* (?=--bind )/);
    expect(before).toBe(
      '--die-with-parent --unshare-pid --unshare-ipc --unshare-uts --cap-drop ALL --unshare-net ' +
        '--ro-bind / / --dev /dev --proc /proc',
    );
    expect(after).toBe(
      '--bind /home/me/shop /home/me/shop ' +
        '--tmpfs /home/me/.ssh --ro-bind /dev/null /home/me/.netrc ' +
        '--setenv TMPDIR /tmp --setenv XDG_CACHE_HOME /tmp/cache --setenv npm_config_cache /tmp/cache/npm ' +
        '--chdir /home/me/shop --',
    );
    for (const covered of ['--ro-bind-try /proc/sys /proc/sys', '--ro-bind-try /sys /sys', '--tmpfs /tmp --tmpfs /run'])
      expect(argv).toContain(covered);
  });

  it('stays in the network that it is started in where that is shared', () => {
    expect(bubblewrapArguments({ workspace: '/w', hidden: [], network: 'shared' })).not.toContain('--unshare-net');
  });

  it('lays pinned folders over the workspace, read-only paths over those, and what is hidden over all', () => {
    const hidden = [hide('/w/a/.git/key', 'file')];
    const argv = bubblewrapArguments({
      workspace: '/w',
      pinned: ['/w/a'],
      readOnly: ['/w/a/.git'],
      hidden,
      network: 'none',
    });
    const places = ['/w', '/w/a', '/w/a/.git', '/w/a/.git/key'].map((path) => argv.indexOf(path));
    expect(places.map((place) => argv[place - 1])).toEqual(['--bind', '--bind-try', '--ro-bind-try', '/dev/null']);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it('hides keys also where the workspace is the home', () => {
    const argv = bubblewrapArguments({ workspace: '/home/me', hidden: [hide('/home/me/.ssh')], network: 'none' });
    expect(argv.lastIndexOf('/home/me/.ssh')).toBeGreaterThan(argv.indexOf('--bind'));
  });

  it('leaves the workspace in sight where what holds it is hidden', () => {
    const argv = bubblewrapArguments({ workspace: '/logs/worktree', hidden: [hide('/logs')], network: 'none' });
    expect(argv.indexOf('/logs')).toBeLessThan(argv.indexOf('--bind'));
  });

  it('shows a workspace in the temporary folder, which it covers', () => {
    const argv = bubblewrapArguments({ workspace: '/tmp/shop', hidden: [], network: 'none' });
    expect(argv.indexOf('/tmp')).toBeLessThan(argv.indexOf('--bind'));
  });

  it('covers what exists: folders, files, and where links lead', () => {
    const home = mkdtempSync(join(tmpdir(), 'tidemark-home-'));
    try {
      mkdirSync(join(home, '.ssh'));
      mkdirSync(join(home, 'log'));
      writeFileSync(join(home, '.netrc'), '');
      mkdirSync(join(home, 'elsewhere'));
      symlinkSync(join(home, 'elsewhere'), join(home, '.aws'));
      symlinkSync(home, join(home, '.kube'));
      const found = hiddenPaths({ home }, [join(home, 'log'), join(home, 'absent')]).filter(({ path }) =>
        path.startsWith(home),
      );
      expect(found).toEqual([
        hide(join(home, '.ssh')),
        hide(join(home, 'elsewhere')),
        hide(join(home, '.netrc'), 'file'),
        hide(join(home, 'log')),
      ]);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
