// Programs and builtins whose words are themselves commands or code, or change what later commands mean. A rule that allows
// one with any words would allow everything.

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

/** `source` is one: it runs a file here. */
const SHELLS = namesIn(
  'sh bash dash ash zsh ksh ksh93 mksh fish csh tcsh pwsh powershell rbash rksh rzsh yash osh ysh nu xonsh',
  'elvish source .',
);

/** Builtins that change folders, names, variables or options for what comes behind them. */
const CHANGERS = namesIn(
  'cd pushd popd set unset shopt export declare typeset local readonly let read printf getopts unalias umask ulimit',
);

function namesIn(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '));
}

/** Interpreters of other languages, and programs with a language of their own in which another one can be started. */
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

/** The loader of shared libraries starts the program that it is given. */
const LOADER = /^ld([-.].*)?\.so(\.\d+)?$/;

/** What a program does with its words: runs commands (a `shell`: a script) or code, or changes what runs behind it; none of it, as far as is known. */
export type Launching = 'launcher' | 'shell' | 'interpreter' | 'changer';

/** See `Launching`; by the last name of the program's path. */
export function launches(program: string): Launching | undefined {
  const name = programName(program);
  if (LAUNCHERS.has(name) || LOADER.test(name)) return 'launcher';
  if (SHELLS.has(name)) return 'shell';
  if (CHANGERS.has(name)) return 'changer';
  return INTERPRETERS.test(name) ? 'interpreter' : undefined;
}

/** Interpreters that read no options of their own behind the file that they run. */
const PASSES_ON =
  /^(node|nodejs|deno|bun|tsx|ts-node|python|ipython|pypy|perl|ruby|jruby|php|lua|luajit|rscript|julia|guile|groovy|tclsh|raku|racket|bb|escript|runghc|runhaskell)[0-9.]*$/;

/** Returns true where an interpreter gives all words behind its file to that file. Others take options and code there: `sed`, `psql`. */
export function passesOn(program: string): boolean {
  return PASSES_ON.test(programName(program));
}

/** The programs of GNU, which other systems install with a `g` before their names. */
const GNU = /^g(?=(sed|awk|find|xargs|timeout|env|nice|nohup|stdbuf|chroot|time|tar|make|sort|split)$)/;

/**
 * Returns the last name of a program's path, without letter case: `/bin/RM` is `rm` on some machines. `gsed` is `sed`, `git.exe` is
 * `git`, and `npm@10`, as `npx` takes it, is `npm`.
 */
export function programName(program: string): string {
  return program
    .slice(program.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/(?<=.)\.(exe|cmd|bat)$/, '')
    .replace(/(?<=.)@[\w.^~-]+$/, '')
    .replace(GNU, '');
}
