// Tests a rule that denies `git push`. The rule must match the ways in which other programs run this command. It must
// not match commands that only look similar.

import { judgeCommands } from '@tidemark/agent/contract/judge-commands';
import { describe, expect, test } from 'vitest';
import { readCommands } from './read-commands.ts';

function isDenied(line: string): boolean {
  return judgeCommands('deny', 'git push', readCommands(line)) === 'denied';
}

describe('a rule that denies `git push`', () => {
  test.each([
    `python3 -c "import subprocess; subprocess.run(['git','push'])"`,
    `python3 -c 'import subprocess; subprocess.run(["git", "-C", ".", "push", "origin"])'`,
    `python3 -c 'import subprocess; subprocess.Popen(args=["git"] + ["push"])'`,
    `python3 -c 'import os; os.execlp("git","git","push")'`,
    `python3 -c 'import os; os.system("git" + " push")'`,
    `python3 -c 'import sys, subprocess; subprocess.run(sys.argv[1:])' git push`,
    `python3 -c "$CODE"`,
    `python3 - <<'E'\nimport subprocess\nsubprocess.run(['git',\n  'push'])\nE`,
    `node -e "require('child_process').spawnSync('git',['push'])"`,
    `node --eval='require("child_process").execFileSync("git", ["push", "origin"])'`,
    `node -p 'require("child_process").spawnSync("git", { args: ["push"] })'`,
    `node -e "$CODE"`,
    `deno eval 'new Deno.Command("git", { args: ["push"] }).spawn()'`,
    `perl -e 'system("git","push")'`,
    `perl -e 'exec qw(git push)'`,
    `perl -e 'print qx/git push/'`,
    `perl -e 'system @ARGV' git push`,
    `ruby -e 'system "git", "push"'`,
    `php -r 'proc_open(["git","push"], [], $p);'`,
    `lua -e 'os.execute("git push")'`,
    `awk 'BEGIN { system("git" " push") }'`,
    `gawk 'BEGIN { "git push" | getline }'`,
  ])('denies code in another language that runs `git push`: %j', (line) => {
    expect(isDenied(line)).toBe(true);
  });

  test.each([
    'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x',
    'env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x',
    'export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push; git x',
    `GIT_CONFIG_PARAMETERS="'alias.x=push'" git x`,
    'GIT_CONFIG_GLOBAL=./settings git x',
    'GIT_EXEC_PATH=./bin git x',
    'git -c include.path=./settings x',
    'git config include.path ./settings; git x',
    'git clone --config alias.x=push a b',
    'env PATH=.:/bin x',
    'sudo LD_PRELOAD=./x.so ls',
    'PATH=.:$PATH x',
    'PATH=bin:$PATH x',
    'PATH=/opt/bin x',
    'NODE_OPTIONS="--require ./x.js" npm test',
    'PYTHONSTARTUP=x.py python3 -i',
  ])('denies a git alias or a setting that runs `git push`: %j', (line) => {
    expect(isDenied(line)).toBe(true);
  });

  test.each([
    'hash -p /usr/bin/git x; x push',
    'hash -p/usr/bin/git x && x push',
    'hash -p "$(command -v git)" x; x push',
    'enable -f ./x.so x',
    'alias x=git; x push',
  ])('denies another name for git: %j', (line) => {
    expect(isDenied(line)).toBe(true);
  });

  test.each([
    `echo x | sed 's/x/git push/e'`,
    `echo x | sed 's|x|git push|ge'`,
    `echo x | sed -n 'sxaxgit pushxe'`,
    `echo 'git push' | sed e`,
    `echo 'git push' | sed -ne 's/a/a/pe'`,
    `echo 'git push' | sed --expression='1!s/a/a/e'`,
    `sed '1e git push' f`,
    `sed -e p -e '/a/,/b/{s/x/y/;e' -e '}' f`,
    `gsed 's/x/git push/e' f`,
    `sed 'y/ab/cd/;\\%x%e' f`,
  ])('denies sed commands that run `git push`: %j', (line) => {
    expect(isDenied(line)).toBe(true);
  });

  test.each([
    `make -f /dev/stdin <<'E'\nx:\n\tgit push\nE`,
    `printf 'x:\\n\\tgit push\\n' | make -f -`,
    `make --file=/dev/fd/3 3<<< 'x: ; git push'`,
    `make -f <(printf 'x:\\n\\tgit push\\n')`,
    `make -sf /proc/self/fd/0 <<< 'x: ; git push'`,
    `gmake -f - <<< 'x: ; git push'`,
    `MAKEFLAGS='--eval=$(shell git push)' make`,
    `MAKEFILES=./x make`,
    `just -f - <<< 'x: ; git push'`,
  ])('denies a build file that is read from input: %j', (line) => {
    expect(isDenied(line)).toBe(true);
  });

  test.each([
    `git clone -u 'git push' a b`,
    `git clone -qu 'git push; git-upload-pack' a b`,
    `git clone -u'git push' a b`,
    `git clone 'ext::git push' b`,
    `git fetch --upload-pack='git push' a`,
    `git send-email --sendmail-cmd='git push' x`,
    `parallel git ::: push`,
    `parallel <<< 'git push'`,
    `echo push | gxargs git`,
    `gfind . -exec git push {} +`,
    `watchexec -- git push`,
    `hg --config alias.x='!git push' x`,
    `scp -oProxyCommand='git push' a b:c`,
    `sftp -o ProxyCommand='git push' b`,
    `conda run git push`,
    `rbenv exec git push`,
    `nu -c 'git push'`,
    `xterm -e git push`,
    `lftp -e '!git push'`,
    `ssh host <<'E'\ngit push\nE`,
    'pwsh -c git push',
    `su - me <<< 'git push'`,
    `sudo -s <<< 'git push'`,
    'docker run alpine git push',
    'repo forall -c git push',
    `awk '{ print | "git push" }' f`,
    'powershell.exe -NoProfile -Command git push',
    'npx git@2 push',
    'cargo watch -s "git push"',
    'docker-compose exec app git push',
    'gcloud compute ssh h --command "git push"',
    'doppler run -- git push',
    `ssh-agent bash -c 'git push'`,
    'git.exe push',
  ])('denies an option or argument of another program that runs `git push`: %j', (line) => {
    expect(isDenied(line)).toBe(true);
  });
});

test.each([
  'git status',
  'git commit -m "push later"',
  'git clone a b',
  'git add -u',
  'git stash -u',
  'git fetch --all',
  'git log -u',
  'GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git status',
  'export GIT_CONFIG_GLOBAL=/dev/null; git status',
  'env GIT_CONFIG_COUNT=0 NODE_ENV=test npm test',
  'hash -r; hash git',
  `sed 's/git/push/' f`,
  `sed -i.bak -e 's/class/example/g' -e '/end/d' src/example.ts`,
  `sed -n '/start/,/end/p' e.txt`,
  `sed '$!N;s/\\n/ /;P;D' f`,
  `sed 'a\\\ne' f`,
  'sed "s/$a/$b/" f',
  `sed -E 's#(a|b)#\\1e#; y/abc/xye/' e`,
  'make -j4 test',
  'make -f build/Makefile test',
  'make -C sub -k',
  `python3 -c 'print("git status")'`,
  `python3 -m pytest -k push`,
  `node -e 'console.log([1, 2].map((x) => x * 2))'`,
  `node scripts/release.ts push`,
  'parallel gzip ::: a b',
  'npx eslint .',
  'command -v git push',
  `awk '/git push/ { print $1 }' README.md`,
  `sudo tee f <<< 'git push'`,
  'docker build .',
  'timeout 30 grep -r x .',
  'node --test',
  'node --version',
  'python3 -V',
  'vim --version',
  'crontab -l',
  `sed -n '/git push/p' README.md`,
  'sudo apt-get install -y push git',
  'PATH=$PATH:/opt/bin npm test',
  'export PATH="$HOME/.local/bin:$PATH"; npm test',
  'PATH="$PWD/node_modules/.bin:$PATH" eslint src',
  'NODE_OPTIONS=--max-old-space-size=4096 npm test',
  'PYTHONPATH=src pytest',
  'PYTHONUNBUFFERED=1 python3 app.py',
  'scp a b:c',
])('a rule that denies `git push` does not deny %j', (line) => {
  expect(isDenied(line)).toBe(false);
});

test('a rule that denies `rm` does not deny the `rm` of docker', () => {
  const decide = (line: string): string => judgeCommands('deny', 'rm', readCommands(line));
  expect(['docker rm c', 'docker build --rm .', 'docker run alpine rm x'].map(decide)).toEqual([
    'asks',
    'asks',
    'denied',
  ]);
});

test.each([
  `echo 'git push' | ssh host`,
  `cat script | ssh -p 22 -o BatchMode=yes host`,
  `cat script | ssh host -T`,
  `cat script | timeout 5 ssh host`,
  `cat script | (cd sub && ssh host)`,
  'ssh host < script',
  'ssh host <<E\ngit push $REMOTE\nE',
  'cat script | su - me',
  'cat script | sudo -s',
  'cat script | sudo -ni',
  'newgrp staff < script',
])('text that a shell of `ssh`, `su` or `sudo` reads from its input is unknown, as it is for `sh`: %j', (line) => {
  expect(isDenied(line)).toBe(true);
});

test.each([
  'ssh host',
  'ssh host uptime | sort',
  `tar c . | ssh host tar x`,
  `cat key | ssh -i id host 'cat >> .ssh/authorized_keys'`,
  `cat log | ssh -N -L 1:h:2 host`,
  'ssh host < /dev/null',
  'cat log | ssh -V',
  `cat secret | su me -c 'tee f'`,
  'cat secret | sudo -S -v',
  'cat secret | sudo tee f',
])('a line in which `ssh`, `su` or `sudo` reads no script is not denied: %j', (line) => {
  expect(isDenied(line)).toBe(false);
});

test.each([
  ['npm publish', ['npm publ', 'npm pub', 'npm publish x', 'npm --tag next publ', 'npm@11 publis']],
  ['npm unpublish', ['npm unpub']],
  ['npm install', ['npm i x', 'npm add x', 'npm inst x', 'npm isntall x']],
  ['npm i', ['npm install x']],
  ['npm run deploy', ['npm run-script deploy', 'npm rum deploy', 'npm run-s deploy']],
  ['npm install-test', ['npm it', 'npm installTest']],
  ['npm pub*', ['npm publ']],
])('a rule that denies `%s` denies the abbreviations and aliases of npm', (rule, lines) => {
  for (const line of lines) expect([line, judgeCommands('deny', rule, readCommands(line))]).toEqual([line, 'denied']);
});

test.each([
  ['npm publish', ['npm run publ', 'npm test', 'npm t', 'npm view publ', 'npm unpublish', 'yarn publ']],
  ['npm uninstall', ['npm un2', 'npm unpublish', 'npm install un']],
  ['npm install', ['npm ci', 'npm install-test', 'npm init', 'npm info x']],
])('a rule that denies `%s` does not deny other commands of npm', (rule, lines) => {
  for (const line of lines) expect([line, judgeCommands('deny', rule, readCommands(line))]).toEqual([line, 'asks']);
});
