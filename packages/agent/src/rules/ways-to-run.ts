// Words that make an ordinary program run another program, or write a file that its name does not suggest: `git -c`,
// `tar --to-command`, `npm exec`, `git log --output`. The list covers programs that people allow and agents use. It is
// not complete. Only the sandbox protects against a malicious program.

interface WaysToRun {
  /** Long options without their dashes, separated by spaces. Shortened forms of the options match too. */
  readonly long?: string;
  /** Pattern of all other words that run a program or write such a file. */
  readonly other?: RegExp;
}

const COMPILER: WaysToRun = { other: /^-(wrapper|fplugin.*|fpass-plugin.*|load.*|B.*|specs.*)$/s };

const WAYS: Readonly<Record<string, WaysToRun>> = {
  git: {
    long: 'config config-env exec-path upload-pack receive-pack exec open-files-in-pager extcmd ext-diff output template sendmail-cmd smtp-server to-cmd cc-cmd header-cmd',
    other: /^(-[A-Za-z]{0,3}[Ox].*|-c.*=.*|run|foreach|filter-branch|alias\..*|[\w.-]*\.[\w-]*=.*|ext::.*)$/s,
  },
  tar: {
    long: 'to-command checkpoint-action use-compress-program rsh-command info-script new-volume-script rmt-command',
    other: /^-?[A-Za-z]*[IF]/,
  },
  bsdtar: { long: 'use-compress-program' },
  scp: { other: /^-[A-Za-z]*[oSDF]/ },
  sftp: { other: /^-[A-Za-z]*[oSDF]/ },
  hg: { long: 'config ssh remotecmd tool', other: /^(-e|alias\..*|[\w.-]*\.[\w-]*=.*)$/s },
  svn: { long: 'diff-cmd editor-cmd config-option config-dir' },
  gh: { other: /^(alias|exec|extension)$/ },
  gcc: COMPILER,
  'g++': COMPILER,
  cc: COMPILER,
  'c++': COMPILER,
  clang: COMPILER,
  'clang++': COMPILER,
  rvm: { other: /^do$/ },
  repo: { other: /^forall$/ },
  nx: { other: /^exec$/ },
  tcc: { other: /^-run$/ },
  rpm: { long: 'eval define pipe', other: /^-[A-Za-z]*[ED]/ },
  apt: { long: 'option', other: /^-[A-Za-z]*o/ },
  'apt-get': { long: 'option', other: /^-[A-Za-z]*o/ },
  rsync: { long: 'rsh rsync-path', other: /^-[A-Za-z]*e/ },
  sort: { long: 'compress-program output', other: /^-[A-Za-z]*o/ },
  split: { long: 'filter' },
  tree: { other: /^-[A-Za-z]*o/ },
  rg: { long: 'pre hostname-bin' },
  man: { long: 'pager html preprocessor', other: /^-[A-Za-z]*[PH]/ },
  less: { long: 'log-file lesskey-file lesskey-src', other: /^(\+|-[A-Za-z]*[oOkt])/ },
  zip: { long: 'unzip-command', other: /^-[A-Za-z]*T/ },
  wget: { long: 'use-askpass config execute', other: /^-[A-Za-z]*e/ },
  curl: { long: 'config', other: /^-[A-Za-z]*K/ },
  cpio: { long: 'rsh-command' },
  tcpdump: { other: /^-[A-Za-z]*z/ },
  nc: { long: 'exec sh-exec', other: /^-[A-Za-z]*[ec]/ },
  ncat: { long: 'exec sh-exec', other: /^-[A-Za-z]*[ec]/ },
  socat: { other: /exec|system/i },
  make: { long: 'eval makefile file directory', other: /^(-[A-Za-z]*[EfC]|\w+[:+?!]*=)/ },
  cmake: { other: /^-[EP]/ },
  go: { other: /^(run|generate|tool|--?(toolexec|exec|vettool|modfile|overlay)(=.*)?)$/s },
  cargo: { long: 'config manifest-path', other: /^(\+.*|run|watch|-Z.*|-C.*)$/s },
  gcloud: { long: 'command', other: /^(ssh|--)$/ },
  npm: {
    long: 'script-shell shell node-options prefix userconfig globalconfig call',
    // npm accepts shortened commands. `init` and `create` run a package.
    other: /^(x|exec?|inn?i?t?|cre(a|at|ate)?|expl(o|or|ore)?|c|conf(i|ig)?|set|-[cC].*)$/s,
  },
  pnpm: { long: 'script-shell shell-mode dir', other: /^(exec|dlx|create|config|c|set|x|-[cC].*)$/s },
  yarn: { long: 'cwd script-shell', other: /^(exec|dlx|node|create|init|config)$/ },
  bun: { long: 'eval preload cwd', other: /^(x|create|init|c|-[er].*)$/s },
  corepack: { other: /^(npm|npx|yarn|pnpm)/ },
  lerna: { other: /^(exec|run)$/ },
  uv: { other: /^(run|tool|x)$/ },
  poetry: { other: /^run$/ },
  pipenv: { other: /^(run|shell)$/ },
  bundle: { other: /^exec$/ },
  hatch: { other: /^run$/ },
  pdm: { other: /^run$/ },
  rye: { other: /^run$/ },
  pixi: { other: /^(run|exec)$/ },
  conda: { other: /^run$/ },
  mamba: { other: /^run$/ },
  micromamba: { other: /^run$/ },
  rbenv: { other: /^exec$/ },
  pyenv: { other: /^exec$/ },
  nvm: { other: /^(exec|run)$/ },
  fnm: { other: /^exec$/ },
  asdf: { other: /^exec$/ },
  volta: { other: /^run$/ },
  rustup: { other: /^run$/ },
  dotnet: { other: /^(exec|run|script)$/ },
  lxc: { other: /^exec$/ },
  vagrant: { long: 'command', other: /^-c/ },
  multipass: { other: /^exec$/ },
  flatpak: { other: /^run$/ },
  snap: { other: /^run$/ },
  oc: { other: /^(exec|run|debug|rsh|--)$/ },
  mise: { other: /^(exec|x|run)$/ },
  direnv: { other: /^exec$/ },
  'nix-shell': { long: 'run command' },
  nix: { long: 'command', other: /^(-c|run|shell|develop)$/ },
  mvn: { other: /^exec:|^-Dexec/ },
  kubectl: { other: /^(exec|run|debug|--)$/ },
  ip: { other: /^exec$/ },
  op: { other: /^run$/ },
  dotenvx: { other: /^run$/ },
  'aws-vault': { other: /^exec$/ },
};

/**
 * Returns true if the word at `at` makes the command run another program or write an unexpected file. A `*` matched
 * this word. The program is word 0.
 */
export function isWayToRun(command: readonly string[], at: number): boolean {
  const isOfGit = programName(command[0] ?? '') === 'git' && isBeforeSubcommand(command, at);
  return isOfGit ? !HARMLESS_BEFORE.test(command[at] ?? '') : handsOn(command, at);
}

/** Returns true if the word at `at` makes the program run another program or write an unexpected file. */
export function handsOn(command: readonly (string | undefined)[], at: number): boolean {
  const [program = '', word = ''] = [command[0], command[at]];
  const name = programName(program);
  const ways = Object.hasOwn(WAYS, name) ? WAYS[name] : undefined;
  if (ways === undefined || at === 0) return false;
  if (name === 'git' && isUploadPack(command, at)) return true;
  return (ways.other?.test(word) ?? false) || isLongOption(word, ways.long ?? '');
}

/** Returns true if `-u` names a program. This is so only for `clone`. `push -u` and `add -u` are harmless. */
function isUploadPack(command: readonly (string | undefined)[], at: number): boolean {
  return /^-[A-Za-z]*u/.test(command[at] ?? '') && command.slice(1, at).includes('clone');
}

/**
 * Harmless options of git before the subcommand. Other options at this place change settings, or select a folder whose
 * settings are then used.
 */
const HARMLESS_BEFORE = /^(--(no-pager|version|help|no-optional-locks|literal-pathspecs)|-[vhP])$/;

function isBeforeSubcommand(command: readonly string[], at: number): boolean {
  return at > 0 && command.slice(1, at + 1).every((word) => word.startsWith('-'));
}

/** Returns true if the word is one of the long options. Most programs also accept the beginning of a long option. */
function isLongOption(word: string, long: string): boolean {
  const name = word.replace(/=.*$/s, '').toLowerCase();
  return name.length > 2 && name.startsWith('--') && long.split(' ').some((option) => `--${option}`.startsWith(name));
}

// Programs and builtins that run their words as commands or code, or change the meaning of later commands. If a rule
// allowed one of them with any words, it would allow everything.

const LAUNCHERS = namesIn(
  'env sudo doas su sg runuser pkexec gosu su-exec setpriv xargs parallel nice nohup timeout time stdbuf setsid ionice chrt',
  'taskset numactl prlimit cpulimit softlimit chroot unshare nsenter setarch arch linux32 linux64 runcon capsh aa-exec choom',
  'strace ltrace perf valgrind hyperfine watch entr flock lckdo with-lock-ex script unbuffer rlwrap ssh busybox toybox',
  'find fd fdfind npx bunx pnpx uvx pipx bwrap firejail proot fakeroot faketime eatmydata xvfb-run dbus-run-session docker podman',
  'systemd-run launchctl start-stop-daemon daemonize tmux screen caffeinate sandbox-exec xcrun crontab nq tsp tini dumb-init',
  'chpst envdir setuidgid s6-setuidgid catchsegv logsave run-one chronic ifne pee mispipe torsocks proxychains proxychains4',
  'dotenv cross-env cross-env-shell concurrently nodemon wsl cmd',
  'watchexec onchange chokidar reflex modd sem env_parallel xjobs retry timelimit run-parts newgrp please runas',
  'mosh plink pdsh pssh clush dbclient ansible fab vcsh foreman honcho overmind pm2 forever supervise dtach abduco zellij',
  'systemd-nspawn machinectl schroot lxc-attach toolbox distrobox wine torify tsocks',
  'rr uftrace heaptrack bpftrace stap dtrace dtruss xterm urxvt konsole gnome-terminal alacritty kitty wezterm foot',
  'x-terminal-emulator docker-compose nerdctl heroku doppler infisical teller envchain chamber sops ssh-agent dockerize wait-for',
  'wait-for-it wait-for-it.sh gtimeout env-cmd with-env dbus-launch cgexec',
  'at batch eval exec command builtin trap alias coproc mapfile readarray hash enable bind complete compgen fc history',
);

/** Shells. `source` is included, because it runs a file in the current shell. */
const SHELLS = namesIn(
  'sh bash dash ash zsh ksh ksh93 mksh fish csh tcsh pwsh powershell rbash rksh rzsh yash osh ysh nu xonsh',
  'elvish source .',
);

/** Builtins that change folders, names, variables or options for the commands after them. */
const CHANGERS = namesIn(
  'cd pushd popd set unset shopt export declare typeset local readonly let read printf getopts unalias umask ulimit',
);

function namesIn(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '));
}

/** Interpreters of other languages, and programs whose own language can start another program. */
const INTERPRETERS = new RegExp(
  `^(${[
    'node|nodejs|deno|bun|tsx|ts-node|python|pypy|perl|ruby|php|lua|luajit|awk|gawk|mawk|nawk|sed|osascript|tclsh|expect',
    'R|Rscript|julia|guile|ghci|elixir|iex|erl|scala|groovy|jshell|octave|gnuplot|m4|bc|dc|gdb|lldb|ftp',
    'vim|vi|nvim|view|ex|ed|emacs|emacsclient|kak|hx|sqlite|psql|mysql|mariadb|duckdb|mongosh|sqlplus|lftp|mail|mailx',
    'ipython|bpython|jython|irb|pry|jruby|raku|qjs|d8|jrunscript|jjs|kotlin|swift|dart|nim|crystal|clojure|clj|bb|racket',
    'sbcl|clisp|scheme|csi|ocaml|runghc|runhaskell|escript|fennel|janet|wish|php-cgi|gp|maxima|sage',
  ].join('|')})[0-9.]*$`,
  'i',
);

/** Loader of shared libraries. It starts the program in its arguments. */
const LOADER = /^ld([-.].*)?\.so(\.\d+)?$/;

/**
 * Effect of a program's words. A `launcher` runs them as commands, a `shell` runs a script, an `interpreter` runs code,
 * and a `changer` changes what later commands do.
 */
export type Launching = 'launcher' | 'shell' | 'interpreter' | 'changer';

/**
 * Returns the kind of a program, by the last name of its path. Returns `undefined` if the program has no known kind.
 */
export function launches(program: string): Launching | undefined {
  const name = programName(program);
  if (LAUNCHERS.has(name) || LOADER.test(name)) return 'launcher';
  if (SHELLS.has(name)) return 'shell';
  if (CHANGERS.has(name)) return 'changer';
  return INTERPRETERS.test(name) ? 'interpreter' : undefined;
}

const PASSES_ON =
  /^(node|nodejs|deno|bun|tsx|ts-node|python|ipython|pypy|perl|ruby|jruby|php|lua|luajit|rscript|julia|guile|groovy|tclsh|raku|racket|bb|escript|runghc|runhaskell)[0-9.]*$/;

/**
 * Returns true if an interpreter passes all words after the script file to the script. Other interpreters, such as
 * `sed` and `psql`, accept options and code after the script file.
 */
export function passesOn(program: string): boolean {
  return PASSES_ON.test(programName(program));
}

/** GNU programs that other systems install with a `g` before their names. */
const GNU = /^g(?=(sed|awk|find|xargs|timeout|env|nice|nohup|stdbuf|chroot|time|tar|make|sort|split)$)/;

/**
 * Returns the last name of a program's path in lower case, because `/bin/RM` is `rm` on some machines. `gsed` becomes
 * `sed`, `git.exe` becomes `git`, and `npm@10`, a form that `npx` accepts, becomes `npm`.
 */
export function programName(program: string): string {
  return program
    .slice(program.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/(?<=.)\.(exe|cmd|bat)$/, '')
    .replace(/(?<=.)@[\w.^~-]+$/, '')
    .replace(GNU, '');
}
