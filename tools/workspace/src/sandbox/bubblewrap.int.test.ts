// The sandbox for real, where there is one: also one that is only found along PATH, as for a single run.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Hidden } from './bubblewrap.ts';
import { bubblewrapArguments, findBubblewrap, sandboxState } from './bubblewrap.ts';
import { keptPaths } from './kept-paths.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-sandbox-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PLACES = ['/usr/bin', '/usr/local/bin', ...(process.env['PATH'] ?? '').split(delimiter)].map((entry) =>
  join(entry, 'bwrap'),
);
const bwrap = findBubblewrap(tmpdir(), PLACES);
const NONE = 'bubblewrap is not installed, or may make no namespaces here';

function run(script: string, hidden: readonly Hidden[] = []): string {
  const kept = keptPaths({ workspace: folder, home: homedir(), repository: 'read-only' });
  const argv = [...bubblewrapArguments({ workspace: folder, kept, hidden }), '/bin/bash', '-c', script];
  const { stdout } = spawnSync(bwrap ?? '', argv, { encoding: 'utf8', timeout: 10_000 });
  return stdout;
}

describe('the sandbox', () => {
  it('lets a command write in the workspace, nowhere else, and read no key', (context) => {
    if (bwrap === undefined) return context.skip(NONE);
    const key = join(folder, 'key');
    writeFileSync(key, 'secret');
    const outside = join(homedir(), `tidemark-${process.pid}`);
    const said = run(`echo x > made; echo x > ${outside}; cat key; true`, [{ path: key, as: 'file' }]);
    expect([said, existsSync(join(folder, 'made')), existsSync(outside)]).toEqual(['', true, false]);
  });

  it.for([
    ['a hook', 'echo evil > .git/hooks/post-checkout'],
    ['a setting', 'git config core.fsmonitor evil'],
    ['a setting by hand', 'echo "[core] fsmonitor = evil" >> .git/config'],
    ['another store of settings', 'mkdir evil; echo ../evil > .git/commondir'],
    ['a folder moved away', 'mv .git old && cp -r old .git && echo evil > .git/hooks/x'],
    ['a folder removed', 'rm -rf .git; mkdir -p .git/hooks; echo evil > .git/hooks/x'],
    ['a hard link', 'ln .git/config x; echo evil > x'],
    ['a link to it', 'ln -s .git/hooks h; echo evil > h/x'],
    ['a mount taken away', 'unshare -rm sh -c "umount .git; mount -o remount,rw,bind .git; echo evil > .git/hooks/x"'],
    ['settings of the agent', 'echo evil > .tidemark/config.json'],
    ['a skill', 'mkdir .agents/skills/evil; echo evil > .agents/skills/evil/SKILL.md'],
    ['instructions', 'echo evil > AGENTS.md; rm AGENTS.md; mv x AGENTS.md'],
  ])('leaves nothing behind that acts outside later: %s', ([, script = ''], context) => {
    if (bwrap === undefined) return context.skip(NONE);
    prepare();
    const before = shown();
    run(script);
    expect(shown()).toBe(before);
  });

  it('keeps where a worktree points, and skills behind a link', (context) => {
    if (bwrap === undefined) return context.skip(NONE);
    writeFileSync(join(folder, '.git'), 'gitdir: /elsewhere\n');
    mkdirSync(join(folder, 'skills/tax'), { recursive: true });
    mkdirSync(join(folder, '.agents'));
    symlinkSync('../skills', join(folder, '.agents/skills'));
    run('echo "gitdir: /evil" > .git; mv .git x; echo evil > skills/tax/SKILL.md; echo fine > a');
    expect(readFileSync(join(folder, '.git'), 'utf8')).toBe('gitdir: /elsewhere\n');
    expect([existsSync(join(folder, 'skills/tax/SKILL.md')), existsSync(join(folder, 'a'))]).toEqual([false, true]);
  });

  it('lets git be read', (context) => {
    if (bwrap === undefined) return context.skip(NONE);
    prepare();
    expect(
      run('git -c safe.directory="*" status --short; git -c safe.directory="*" rev-parse --is-inside-work-tree'),
    ).toContain('true');
  });
});

it('says whether there is one', () => {
  expect(sandboxState(folder, [])).toBe(process.platform === 'linux' ? 'missing' : 'not-here');
  expect(sandboxState(folder, ['/bin/false'])).toBe(process.platform === 'linux' ? 'blocked' : 'not-here');
});

/** A repository with all that is kept. */
function prepare(): void {
  execFileSync('git', ['init', '-q', folder]);
  mkdirSync(join(folder, '.git/hooks'), { recursive: true });
  mkdirSync(join(folder, '.tidemark'));
  mkdirSync(join(folder, '.agents/skills'), { recursive: true });
  writeFileSync(join(folder, 'AGENTS.md'), 'fine');
}

/** All that is kept, name by name and byte by byte. */
function shown(): string {
  const script =
    'find .git .tidemark .agents AGENTS.md -type f | sort | xargs cksum; find .git .tidemark .agents | sort';
  return execFileSync('/bin/sh', ['-c', script], { cwd: folder, encoding: 'utf8' });
}
