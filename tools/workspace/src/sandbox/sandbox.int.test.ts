// Tests a real sandbox: what a command cannot change, see or reach.

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { SandboxedBash } from '../../tests/sandboxed-bash.ts';
import { NO_SANDBOX, openSandboxedBash, repositoryIn } from '../../tests/sandboxed-bash.ts';
import { tryPromises } from './try-promises.ts';

const EVIL = 'evil';

function prepare({ folder }: SandboxedBash): void {
  repositoryIn(folder);
  repositoryIn(join(folder, 'vendor/lib'));
  mkdirSync(join(folder, '.git/modules/sub'), { recursive: true });
  writeFileSync(join(folder, '.git/modules/sub/config'), '');
  mkdirSync(join(folder, 'sub'));
  writeFileSync(join(folder, 'sub/.git'), 'gitdir: ../.git/modules/sub\n');
  mkdirSync(join(folder, '.git/hooks'), { recursive: true });
  mkdirSync(join(folder, '.tidemark'));
  mkdirSync(join(folder, '.agents/skills'), { recursive: true });
  writeFileSync(join(folder, 'AGENTS.md'), 'fine');
}

function protectedFiles(folder: string): string {
  const names = '.git sub/.git vendor/lib/.git .tidemark .agents AGENTS.md';
  const script = `find ${names} -type f | sort | xargs cksum; find ${names} | sort`;
  return execFileSync('/bin/sh', ['-c', script], { cwd: folder, encoding: 'utf8' });
}

beforeEach((context) => {
  if (NO_SANDBOX !== undefined) context.skip(NO_SANDBOX);
});

describe('the sandbox', () => {
  it.for([
    ['a git hook', 'echo evil > .git/hooks/post-checkout'],
    ['a git setting', 'git config core.fsmonitor evil'],
    ['a git setting that is written by hand', 'echo "[core] fsmonitor = evil" >> .git/config'],
    ['another common folder of git', 'mkdir evil; echo ../evil > .git/commondir'],
    ['a moved `.git` folder', 'mv .git old && cp -r old .git && echo evil > .git/hooks/x'],
    ['a removed `.git` folder', 'rm -rf .git; mkdir -p .git/hooks; echo evil > .git/hooks/x'],
    ['a hard link to the git settings', 'ln .git/config x; echo evil > x'],
    ['a link to the hooks', 'ln -s .git/hooks h; echo evil > h/x'],
    [
      'an unmounted `.git` folder',
      'unshare -rm sh -c "umount .git; mount -o remount,rw,bind .git; echo evil > .git/hooks/x"',
    ],
    ['settings of the agent', 'echo evil > .tidemark/config.json'],
    ['a skill', 'mkdir .agents/skills/evil; echo evil > .agents/skills/evil/SKILL.md'],
    ['instructions', 'echo evil > AGENTS.md; rm AGENTS.md; mv x AGENTS.md'],
    ['the .git file of a submodule', 'echo "gitdir: /evil" > sub/.git; mv sub/.git x; rm -f sub/.git'],
    ['the settings of a submodule', 'echo evil > .git/modules/sub/config'],
    ['the settings of a nested repository', 'echo "[core] fsmonitor = evil" >> vendor/lib/.git/config'],
    [
      'a moved folder of a nested repository',
      'mv vendor/lib x; mv vendor y; mkdir -p vendor/lib/.git; echo evil > vendor/lib/.git/config',
    ],
  ])('prevents a change that would run outside the sandbox later: %s', async ([, script = '']) => {
    const bash = await openSandboxedBash();
    prepare(bash);
    const before = protectedFiles(bash.folder);
    await bash.run(script);
    expect(protectedFiles(bash.folder)).toBe(before);
  });

  it('reports only once that it cannot search a folder whose name is not UTF-8', async () => {
    const bash = await openSandboxedBash();
    const first = await bash.run(String.raw`mkdir "$(printf 'caf\351')"`);
    const limit = first.notices.find(({ code }) => code === 'sandbox/limit');
    expect(limit?.message).toContain('1 folders have names that are not UTF-8');
    expect((await bash.run('true')).notices).toEqual([]);
  });

  it("starts no program of the workspace for the sandbox's own work, even if PATH names such a program", async () => {
    const bash = await openSandboxedBash({ atHome: true });
    const fake = `printf '#!/bin/sh\\ntouch ${bash.outside}/ran\\nexec /usr/bin/mkfifo "$@"\\n' > bin/mkfifo; chmod +x bin/mkfifo`;
    const before = process.env['PATH'];
    process.env['PATH'] = `${join(bash.folder, 'bin')}:${before}`;
    onTestFinished(() => void (process.env['PATH'] = before));
    await bash.run(`mkdir -p bin; ${fake}`);
    expect((await bash.run('echo fine')).output).toBe('fine\n');
    expect(existsSync(join(bash.outside, 'ran'))).toBe(false);
  });

  it('never writes outside the workspace while another session swaps a folder for a link during the mounts', async () => {
    const bash = await openSandboxedBash();
    const other = await openSandboxedBash({ session: 'session-2', folder: bash.folder });
    mkdirSync(join(bash.outside, 'lib'));
    const swap =
      'for i in $(seq 2000); do mv vendor v2 && ln -s ../outside vendor && sleep 0.001; rm vendor; mv v2 vendor; done 2>/dev/null';
    mkdirSync(join(bash.folder, 'vendor'));
    const swapping = other.run(`timeout 6 bash -c '${swap}'; true`);
    await pause(500);
    mkdirSync(join(bash.folder, 'vendor/lib/.git'), { recursive: true });
    for (let round = 0; round < 25; round += 1)
      await bash.run(`echo out > ${bash.outside}/escaped 2>/dev/null; echo out > vendor/escaped 2>/dev/null; true`);
    await swapping;
    expect(existsSync(join(bash.outside, 'escaped'))).toBe(false);
  }, 60_000);

  it('protects the settings of a workspace that is a bare repository, and reports a workspace that becomes one', async () => {
    const bash = await openSandboxedBash();
    const { text } = await bash.run('git init -q --bare /tmp/b && cp -r /tmp/b/. .');
    expect(text).toContain('[config is new, and git runs');
    await bash.run('echo "[core] fsmonitor = evil" >> config; echo evil > hooks/pre-commit');
    expect(readFileSync(join(bash.folder, 'config'), 'utf8')).not.toContain(EVIL);
    expect(existsSync(join(bash.folder, 'hooks/pre-commit'))).toBe(false);
  });

  it('continues and reports a limit if a path is too long to search', async () => {
    const bash = await openSandboxedBash();
    const made = await bash.run(
      'name=$(printf "%0200d" 1); for i in $(seq 30); do mkdir $name; cd $name; done; echo made',
    );
    expect(made.output).toBe('made\n');
    expect(made.notices.map(({ code }) => code)).toContain('sandbox/limit');
    expect((await bash.run('echo next')).output).toBe('next\n');
    await bash.run('rm -rf 0*');
  });

  it('closes the descriptors that this process inherited', async () => {
    const bash = await openSandboxedBash();
    const { output } = await bash.run('ls /proc/self/fd | wc -l');
    // `ls` has three descriptors for its input and its two outputs, and a fourth for the folder that it reads.
    expect(Number(output)).toBeLessThanOrEqual(4);
  });

  it('keeps keys hidden in a workspace that is the home, even if a command moves the folder of the keys', async () => {
    const bash = await openSandboxedBash({ atHome: true });
    mkdirSync(join(bash.folder, '.config/gh'), { recursive: true });
    writeFileSync(join(bash.folder, '.config/gh/hosts.yml'), 'SECRET');
    await bash.run('mv .config c2');
    expect((await bash.run('cat c2/gh/hosts.yml .config/gh/hosts.yml')).output).not.toContain('SECRET');
  });

  it('puts back a link in the middle of a chain, and reports a link that it cannot put back', async (context) => {
    const bash = await openSandboxedBash();
    writeFileSync(join(bash.folder, 'real.md'), 'fine');
    symlinkSync('real.md', join(bash.folder, 'middle.md'));
    symlinkSync('middle.md', join(bash.folder, 'AGENTS.md'));
    await bash.run('echo evil > evil.md; ln -sfn evil.md middle.md');
    expect(readFileSync(join(bash.folder, 'AGENTS.md'), 'utf8')).toBe('fine');
    if (process.getuid?.() === 0)
      return context.skip('root writes into a read-only folder: the second half needs another user');
    const { text } = await bash.run('rm AGENTS.md; chmod 555 .');
    await bash.run('chmod 755 .');
    expect(text).toContain('it could not be put back (EACCES): put it back by hand');
  });

  it('protects the older repositories and reports a limit, even if a command creates many new ones', async () => {
    const bash = await openSandboxedBash();
    repositoryIn(join(bash.folder, 'deep/down/own'));
    const { notices } = await bash.run('for i in $(seq 300); do mkdir -p r$i/.git; done');
    const limit = notices.find(({ code }) => code === 'sandbox/limit');
    expect(limit?.message).toContain('45 repositories exceed the maximum');
    expect(notices.at(-2)?.message).toContain('245 more repositories are new');
    await bash.run('echo "[core] fsmonitor = evil" >> deep/down/own/.git/config');
    expect(readFileSync(join(bash.folder, 'deep/down/own/.git/config'), 'utf8')).not.toContain(EVIL);
  });

  it('puts back a replaced link, keeps its replacement under another name, and protects the target', async () => {
    const bash = await openSandboxedBash();
    mkdirSync(join(bash.folder, 'skills-folder/skills'), { recursive: true });
    writeFileSync(join(bash.folder, 'RULES.md'), 'fine');
    symlinkSync('RULES.md', join(bash.folder, 'AGENTS.md'));
    symlinkSync('skills-folder', join(bash.folder, '.agents'));
    const script =
      'rm AGENTS.md .agents; echo evil > AGENTS.md; mkdir -p .agents/skills; echo evil > RULES.md; touch skills-folder/x';
    const { text } = await bash.run(script);
    expect(readlinkSync(join(bash.folder, 'AGENTS.md'))).toBe('RULES.md');
    expect(readlinkSync(join(bash.folder, '.agents'))).toBe('skills-folder');
    expect(readFileSync(join(bash.folder, 'RULES.md'), 'utf8')).toBe('fine');
    expect(existsSync(join(bash.folder, 'skills-folder/x'))).toBe(false);
    expect(readFileSync(join(bash.folder, 'AGENTS.md.replaced-1'), 'utf8')).toBe('evil\n');
    expect(text).toContain('[AGENTS.md is a link that this command replaced; it was put back');
  });

  it('hides keys in a folder that the home links to, and a log folder that is a link', async () => {
    const bash = await openSandboxedBash();
    const keys = join(bash.outside, 'keys');
    const logs = join(bash.outside, 'logs');
    for (const folder of [keys, logs]) mkdirSync(folder);
    writeFileSync(join(keys, 'id'), 'SECRET');
    writeFileSync(join(bash.outside, 'netrc'), 'SECRET');
    writeFileSync(join(logs, 'log'), 'SECRET');
    for (const name of ['.ssh', '.gnupg']) symlinkSync(keys, join(bash.home, name));
    symlinkSync(join(bash.outside, 'netrc'), join(bash.home, '.netrc'));
    symlinkSync(logs, join(bash.home, 'logs'));
    const own = await openSandboxedBash({
      forbidden: [join(bash.home, 'logs')],
      environment: { PATH: process.env['PATH'], HOME: bash.home },
    });
    const script = `cat ~/.ssh/id ~/.gnupg/id ~/.netrc ~/logs/log ${keys}/id ${logs}/log ${bash.outside}/netrc; ls ~`;
    const { output } = await own.run(script);
    expect(output).not.toContain('SECRET');
    expect(output).toContain('logs');
  });

  it('hides key files that variables name, even in `/tmp`', async () => {
    const bash = await openSandboxedBash();
    const shared = mkdtempSync('/tmp/tidemark-keys-');
    onTestFinished(() => rmSync(shared, { recursive: true }));
    const keys = [join(bash.outside, 'cluster'), join(shared, 'cluster'), join(bash.home, 'moved/gh/hosts.yml')];
    for (const key of keys) {
      mkdirSync(dirname(key), { recursive: true });
      writeFileSync(key, 'SECRET');
    }
    const environment = { PATH: process.env['PATH'], HOME: bash.home, XDG_CONFIG_HOME: join(bash.home, 'moved') };
    const own = await openSandboxedBash({ environment: { ...environment, KUBECONFIG: `${keys[0]}:${keys[1]}` } });
    const { output } = await own.run(`cat ${keys.join(' ')}; echo end`);
    expect(output).not.toContain('SECRET');
    expect(output).toContain('end');
  });

  it('prevents changes to a file that a trusted setting starts, and moves of its folder', async () => {
    const bash = await openSandboxedBash({ protectedPaths: ['tools/server.js'] });
    const script = join(bash.folder, 'tools/server.js');
    mkdirSync(join(bash.folder, 'tools'));
    writeFileSync(script, 'fine');
    await bash.run('echo evil > tools/server.js; mv tools x; mkdir -p tools; echo evil > tools/server.js');
    expect(readFileSync(script, 'utf8')).toBe('fine');
  });

  it('puts back a link that a trusted setting names, even if its folder is writable', async () => {
    const bash = await openSandboxedBash({ protectedPaths: ['bin/server'] });
    mkdirSync(join(bash.folder, 'bin'));
    writeFileSync(join(bash.folder, 'server.js'), 'fine');
    symlinkSync('../server.js', join(bash.folder, 'bin/server'));
    await bash.run(
      'rm bin/server; echo evil > bin/server; echo evil > server.js; mv bin x; mkdir -p bin; echo evil > bin/server',
    );
    expect(readlinkSync(join(bash.folder, 'bin/server'))).toBe('../server.js');
    expect(readFileSync(join(bash.folder, 'server.js'), 'utf8')).toBe('fine');
  });

  it('prevents changes to start files and folders of PATH in a workspace that is the home', async () => {
    const bash = await openSandboxedBash({ atHome: true });
    for (const folder of ['bin', '.config/autostart']) mkdirSync(join(bash.folder, folder), { recursive: true });
    for (const file of ['.bashrc', '.gitconfig', 'bin/tool', 'notes']) writeFileSync(join(bash.folder, file), 'fine');
    const files = '.bashrc .gitconfig bin/tool bin/new .config/autostart/x notes';
    const { text } = await bash.run(`for file in ${files}; do echo evil > $file; done; rm -r .bashrc bin; false`);
    expect(text).toContain('[in this sandbox a command can only write and move files of the workspace, except');
    const changed = files
      .split(' ')
      .filter(
        (file) => existsSync(join(bash.folder, file)) && readFileSync(join(bash.folder, file), 'utf8') === 'evil\n',
      );
    expect(changed).toEqual(['notes']);
  });

  it('prevents writes to kernel settings, even for root, and gives the command a separate `/run`', async () => {
    const bash = await openSandboxedBash();
    const paths =
      '/proc/sys/kernel/hostname /proc/sys/vm/overcommit_memory /proc/sysrq-trigger /sys/kernel /sys/fs/cgroup';
    const script = `for path in ${paths}; do test -w $path && echo "$path"; done; ls /run | grep -v -e resolv -e systemd -e NetworkManager; test -w /run && echo own`;
    expect((await bash.run(script)).output).toBe('own\n');
  });

  it('reports only once per session that running as root weakens it', async () => {
    const bash = await openSandboxedBash();
    const codes = [...(await bash.run('true')).notices, ...(await bash.run('true')).notices].map(({ code }) => code);
    expect(codes).toEqual(process.getuid?.() === 0 ? ['sandbox/root'] : []);
  });

  it.for([
    ['in the group of the command', 'sleep 1001 & echo left'],
    ['in a session of its own, with its output closed', 'setsid sleep 1001 > /dev/null 2>&1 & sleep 0.1; echo left'],
  ])('ends a program that a command left running, and reports it: %s', async ([, script = '']) => {
    const { output, text } = await (await openSandboxedBash()).run(script);
    expect(output).toBe('left\n');
    const [, pid] = /^\[processes that still ran and were ended: (\d+) sleep 1001\]$/.exec(text) ?? [];
    expect(existsSync(`/proc/${pid ?? 'self'}`)).toBe(false);
  });

  it('keeps every promise that `tryPromises` tests for `tidemark doctor`', async () => {
    const tried = await tryPromises();
    expect(tried.length).toBeGreaterThan(8);
    expect(tried.filter(({ kept }) => !kept)).toEqual([]);
  });
});
