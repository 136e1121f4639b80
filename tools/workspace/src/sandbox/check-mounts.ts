// Checks the mounts of a sandbox from inside, before the command runs. Bubblewrap follows links. While it creates the
// mounts, another command could replace a folder with a link to a folder outside the workspace. That folder would then
// be visible and writable.

import { lstatSync } from 'node:fs';
import { codeOf } from '../confine/file-problem.ts';
import { systemProgram } from './bubblewrap.ts';

export interface ExpectedMounts {
  /**
   * Paths at which a writable mount is allowed. Writable mounts below the workspace and below `/dev` are always
   * allowed.
   */
  readonly writable: readonly string[];
  /** Paths at which read-only mounts must be. */
  readonly readOnly: readonly string[];
  /**
   * Files and folders that must not be replaced between the call of `mountCheck` and the start of the command. They are
   * compared by device and inode number.
   */
  readonly same: readonly string[];
  readonly workspace: string;
}

/** Exit code of a command that was not run, because its mounts differ from the expected mounts. */
const WRONG_MOUNTS = 117;

/**
 * Absolute path of `stat`. The program is not looked up in `PATH`, because `PATH` may contain a folder of the
 * workspace.
 */
const STAT = systemProgram('stat') ?? '/usr/bin/stat';

// In `/proc/self/mountinfo`, the latest mount of a path is the last one in the list. Blanks and backslashes are escaped
// (see proc_pid_mountinfo). The script closes inherited file descriptors. Otherwise a command could reach a file of the
// machine through one of them.
const SCRIPT = `
writable=$1 readonly=$2 workspace=$3 count=$4; shift 4
fail() { echo "[the workspace changed while the sandbox was made, so the command did not run ($1): try again]"; exit ${WRONG_MOUNTS}; }
found=
while read -r _ _ _ _ place options rest; do
  # Bubblewrap cannot change the mount of another user's file system.
  case $rest in *' - fuse'*) continue ;; esac
  case $options in
    ro|ro,*) found="$found
$place
" ;;
    *)
      case "
$writable
" in *"
$place
"*) ;; *) case $place in "$workspace"/*|/dev/*) ;; *) fail "$place" ;; esac ;; esac ;;
  esac
done < /proc/self/mountinfo
while read -r place; do
  [ -z "$place" ] && continue
  case $found in *"
$place
"*) ;; *) fail "$place" ;; esac
done <<END
$readonly
END
while [ "$count" -gt 0 ]; do
  [ "$(${STAT} -c %d:%i -- "$1" 2>/dev/null)" = "$2" ] || fail "$1"
  shift 2; count=$((count - 1))
done
for file in /proc/self/fd/*; do
  file=\${file##*/}
  [ "$file" -gt 2 ] && [ "$file" -ne 255 ] && eval "exec $file>&-"
done
exec "$@"
`;

/**
 * Returns the arguments to put before a command. With these arguments, the mounts are checked first.
 *
 * @param shell Path of bash or another POSIX shell.
 */
export function mountCheck(shell: string, { writable, readOnly, same, workspace }: ExpectedMounts): readonly string[] {
  const known = same.flatMap((path) => [path, identityOf(path)]);
  const lists = [lines(writable), lines(readOnly), escapePath(workspace), String(same.length)];
  return [shell, '-c', SCRIPT, 'tidemark-check', ...lists, ...known];
}

function lines(paths: readonly string[]): string {
  return paths.map(escapePath).join('\n');
}

/** Returns the path in the form that the kernel uses in `/proc/self/mountinfo`. */
function escapePath(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

/**
 * Returns the device and inode number of a path. For a link or a missing file, returns a text that never matches. In
 * that case, the command does not run.
 */
function identityOf(path: string): string {
  try {
    const stats = lstatSync(path, { bigint: true });
    return stats.isSymbolicLink() ? 'link' : `${stats.dev}:${stats.ino}`;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return 'gone';
  }
}
