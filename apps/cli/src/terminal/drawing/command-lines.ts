// Lines of a running command of the user: its command line, and the end of its output.

import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { duration } from '../../present/tool-line.ts';
import type { RunningCommand } from '../state/terminal-state.ts';

/** Maximum number of lines of the output that are shown while the command runs. */
const LIVE_ROWS = 10;

/** Returns the lines of a running command. `now` is in milliseconds since 1970. */
export function commandLines(command: RunningCommand | undefined, now: number): readonly Shown[] {
  if (command === undefined) return [];
  const { line, startedAt, output } = command;
  return [
    '',
    [withStyle('yellow', '! '), line, withStyle('dim', ` ${duration(Math.max(0, now - startedAt))}, Esc stops it`)],
    ...(output === '' ? [] : output.trimEnd().split('\n').slice(-LIVE_ROWS)),
  ];
}
