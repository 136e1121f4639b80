// Programs and builtins whose words are themselves commands or code, or change what later commands mean. A rule that allows
// one with any words would allow everything.

const LAUNCHERS = namesIn(
  'env sudo doas su runuser xargs parallel nice nohup timeout time stdbuf setsid ionice chrt taskset chroot unshare nsenter',
  'strace ltrace gdb watch entr flock script expect ssh busybox toybox find fd npx bunx pnpx bwrap docker podman systemd-run',
  'at batch eval exec command builtin trap alias coproc',
);

const SHELLS = namesIn('sh bash dash ash zsh ksh mksh fish csh tcsh pwsh rbash');

/** Builtins that change folders, names, variables or options for what comes behind them. */
const CHANGERS = namesIn(
  'cd pushd popd set unset shopt export declare typeset local readonly let read printf mapfile readarray getopts',
  'source . unalias enable hash bind complete compgen fc umask ulimit',
);

function namesIn(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '));
}

/** Interpreters of other languages: a file that they run can be named, code in their words cannot be told. */
const INTERPRETERS =
  /^(node|nodejs|deno|bun|tsx|python|pypy|perl|ruby|php|lua|luajit|awk|gawk|mawk|nawk|sed|osascript|tclsh|Rscript|julia)[0-9.]*$/i;

/** What a program does with its words: runs commands (a `shell`: a script) or code, or changes what runs behind it; none of it, as far as is known. */
export type Launching = 'launcher' | 'shell' | 'interpreter' | 'changer';

/** See `Launching`; by the last name of the program's path. */
export function launches(program: string): Launching | undefined {
  const name = programName(program);
  if (LAUNCHERS.has(name)) return 'launcher';
  if (SHELLS.has(name)) return 'shell';
  if (CHANGERS.has(name)) return 'changer';
  return INTERPRETERS.test(name) ? 'interpreter' : undefined;
}

/** The last name of a program's path, without letter case: `/bin/RM` is `rm` on some machines. */
export function programName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1).toLowerCase();
}
