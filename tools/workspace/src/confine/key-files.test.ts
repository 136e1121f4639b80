// Tests that file tools refuse key files with well-known names and that the sandbox hides them.

import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { hiddenPaths } from '../sandbox/hidden-paths.ts';
import { createConfinement } from './confine.ts';
import type { KeyOptions } from './key-files.ts';
import { keyPlaces } from './key-files.ts';

const FILES = [
  '.vault-token .terraform.d/credentials.tfrc.json .terraformrc .cache/huggingface/token .huggingface/token .s3cfg .boto',
  '.config/rclone/rclone.conf .config/containers/auth.json .local/share/opencode/auth.json .pi/agent/auth.json',
  '.local/share/fish/fish_history .bash_history .zsh_history .psql_history .python_history .node_repl_history',
  '.mysql_history .sqlite_history .gem/credentials .m2/settings.xml .gradle/gradle.properties .nuget/NuGet/NuGet.Config',
  '.composer/auth.json .config/composer/auth.json .netrc .npmrc .yarnrc.yml .pypirc .pgpass .my.cnf .git-credentials',
  '.cargo/credentials .cargo/credentials.toml .config/git/credentials .claude.json .pulumi/credentials.json',
].flatMap((line) => line.split(' '));

const FOLDERS = [
  '.ssh .gnupg .aws .azure .kube .docker .config/gcloud .config/gh .config/hub .config/op .password-store .mozilla',
  '.local/share/keyrings .config/google-chrome .config/chromium .anthropic .claude .codex .config/sops/age .config/hcloud',
  '.config/doctl .fly .config/Cursor .config/BraveSoftware .thunderbird .config/github-copilot .config/glab-cli',
].flatMap((line) => line.split(' '));

async function putFile(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'SECRET');
  return path;
}

/** Returns the paths that file tools allow, and the paths that a sandboxed command can see. */
async function open(
  paths: readonly string[],
  options: KeyOptions & { readonly home: string; readonly folder: string },
): Promise<{ readonly allowed: readonly string[]; readonly seen: readonly string[] }> {
  const confinement = createConfinement(options);
  const places = await Promise.all(paths.map((path) => confinement.place(path)));
  const hidden = hiddenPaths(options, []).map(({ path }) => path);
  const real = await Promise.all(paths.map((path) => realpath(path)));
  return {
    allowed: paths.filter((_, at) => !('problem' in (places[at] ?? {}))),
    seen: paths.filter((_, at) => !hidden.some((each) => `${real[at]}/`.startsWith(`${each}/`))),
  };
}

describe('key files', () => {
  test('in a home folder are refused and hidden, whether the home is the workspace or outside it', async () => {
    const { folder, outside } = await openBench();
    const paths = [
      ...(await Promise.all(FILES.map((name) => putFile(join(folder, name))))),
      ...(await Promise.all(FOLDERS.map((name) => putFile(join(folder, name, 'some/file'))))),
    ];
    for (const workspace of [folder, outside])
      expect(await open(paths, { home: folder, folder: workspace })).toEqual({ allowed: [], seen: [] });
  });

  test('that a variable moves are refused and hidden at their new location', async () => {
    const { folder, outside } = await openBench();
    const at = (name: string): string => join(folder, 'moved', name);
    const environment = {
      XDG_CONFIG_HOME: at('config'),
      XDG_DATA_HOME: at('data'),
      XDG_CACHE_HOME: at('cache'),
      GNUPGHOME: at('gnupg'),
      AWS_SHARED_CREDENTIALS_FILE: at('aws'),
      KUBECONFIG: `${at('cluster-1')}:${at('cluster-2')}:relative`,
      DOCKER_CONFIG: at('docker'),
      NPM_CONFIG_USERCONFIG: at('npm'),
      npm_config_userconfig: at('npm-2'),
      CARGO_HOME: at('cargo'),
      HISTFILE: at('history'),
    };
    const names =
      'config/gh/x config/sops/age/x data/keyrings/x cache/huggingface/token gnupg/x aws cluster-1 cluster-2';
    const keys = `${names} docker/config.json npm npm-2 cargo/credentials.toml history`.split(' ');
    const others = ['config/nvim/x', 'cargo/bin/x', 'cache/x', 'data/x'];
    const paths = await Promise.all([...keys, ...others].map((name) => putFile(at(name))));
    const free = others.map(at);
    expect(await open(paths, { home: outside, folder, environment })).toEqual({ allowed: free, seen: free });
  });

  test('are refused in every spelling that a file system treats as the same name', async () => {
    const { folder } = await openBench();
    const confinement = createConfinement({ folder, home: folder });
    for (const path of ['.config/GH/hosts.yml', '.Docker/config.json', '.nuget/nuget/nuget.config'])
      expect(await confinement.place(path), path).toHaveProperty('problem');
    expect(confinement.refusal(join(folder, '.config/gh/hosts.yml'))).toBe('gh contains credentials of a code host');
  });

  test('that a link in the home points to are refused at their real location', async () => {
    const { folder } = await openBench();
    const [home, keys] = [join(folder, 'home'), await putFile(join(folder, 'dotfiles/gh/hosts.yml'))];
    await mkdir(join(home, '.config'), { recursive: true });
    await symlink('../../dotfiles/gh', join(home, '.config/gh'));
    expect(await open([keys, join(home, '.config/gh/hosts.yml')], { home, folder })).toEqual({ allowed: [], seen: [] });
  });

  test('do not include project files that only have the same name', async () => {
    const { folder, outside } = await openBench();
    const names = [
      '.claude/settings.json',
      '.yarnrc.yml',
      '.docker/x',
      '.m2/settings.xml',
      '.gradle/gradle.properties',
    ];
    const paths = await Promise.all(names.map((name) => putFile(join(folder, name))));
    expect(await open(paths, { home: outside, folder })).toEqual({ allowed: paths, seen: paths });
  });

  test('are refused next to a workspace inside a folder of keys, but the workspace stays open', async () => {
    const { folder: home } = await openBench();
    const folder = join(home, '.claude/worktrees/shop');
    const own = await putFile(join(folder, 'index.js'));
    const confinement = createConfinement({ folder, home });
    expect(await confinement.place(own)).toMatchObject({ inside: true });
    expect(await confinement.place(join(home, '.claude/settings.json'))).toHaveProperty('problem');
    expect(await confinement.place(join(folder, '.ssh/id'))).toHaveProperty('problem');
  });

  test('never include the home folder, a folder that contains it, or a device', async () => {
    const { folder } = await openBench();
    const environment = { GNUPGHOME: dirname(folder), DOCKER_CONFIG: '/', CODEX_HOME: folder, HISTFILE: '/dev/null' };
    await symlink('.', join(folder, '.kube'));
    const own = await putFile(join(folder, 'notes.txt'));
    expect(hiddenPaths({ home: folder, environment }, []).filter(({ path }) => folder.startsWith(path))).toEqual([]);
    expect(hiddenPaths({ home: folder, environment }, []).map(({ path }) => path)).not.toContain('/dev/null');
    expect(await open([own], { home: folder, folder, environment })).toEqual({ allowed: [own], seen: [own] });
    expect(keyPlaces({})).toEqual([]);
  });
});
