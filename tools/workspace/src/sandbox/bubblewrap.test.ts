// Tests the arguments of the sandbox without running it.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bubblewrapArguments } from './bubblewrap.ts';
import type { Hidden } from './hidden-paths.ts';
import { hiddenPaths } from './hidden-paths.ts';

const hide = (path: string, as: Hidden['as'] = 'folder'): Hidden => ({ path, as });

describe('`bubblewrapArguments`', () => {
  it('makes the machine read-only outside the workspace, unshares the network and hides the given paths', () => {
    const hidden = [hide('/home/me/.ssh'), hide('/home/me/.netrc', 'file')];
    const argv = bubblewrapArguments({ workspace: '/home/me/shop', hidden, network: 'none' }).join(' ');
    const [before, after] = argv.split(/ --ro-bind-try .* (?=--bind )/);
    expect(before).toBe(
      '--unshare-pid --unshare-ipc --unshare-uts --cap-drop ALL --unshare-net ' +
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

  it('keeps the network of the starting process if the network is `shared`', () => {
    expect(bubblewrapArguments({ workspace: '/w', hidden: [], network: 'shared' })).not.toContain('--unshare-net');
  });

  it('mounts pinned folders over the workspace, read-only paths over those, and hidden paths last', () => {
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

  it('hides keys even if the workspace is the home folder', () => {
    const argv = bubblewrapArguments({ workspace: '/home/me', hidden: [hide('/home/me/.ssh')], network: 'none' });
    expect(argv.lastIndexOf('/home/me/.ssh')).toBeGreaterThan(argv.indexOf('--bind'));
  });

  it('keeps the workspace visible if a hidden folder contains it', () => {
    const argv = bubblewrapArguments({ workspace: '/logs/worktree', hidden: [hide('/logs')], network: 'none' });
    expect(argv.indexOf('/logs')).toBeLessThan(argv.indexOf('--bind'));
  });

  it('keeps a workspace in the temporary folder visible, although the sandbox covers the temporary folder', () => {
    const argv = bubblewrapArguments({ workspace: '/tmp/shop', hidden: [], network: 'none' });
    expect(argv.indexOf('/tmp')).toBeLessThan(argv.indexOf('--bind'));
  });

  it('covers what `hiddenPaths` finds: existing folders and files, and the targets of links', () => {
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
