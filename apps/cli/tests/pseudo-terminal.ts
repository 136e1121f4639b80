// Runs a command at a real terminal. The terminal belongs to a separate tmux server with its own socket. A test types
// into it and reads its screen.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Time between two presses of a key. Questions ignore keys until no key was pressed for 300 ms. */
const BETWEEN_PRESSES_MS = 1_000;

/** Terminal with a size. Default: 100 columns and 30 rows. */
export interface PseudoTerminal {
  /** Types text, or a key by its tmux name, such as `Enter` or `C-c`. */
  type(...keys: readonly string[]): void;
  screen(): string;
  /** Returns the rows of the screen with the escape sequences of their styles. */
  styledRows(): readonly string[];
  /** Returns the scrollback and the screen. */
  all(): string;
  resize(columns: number, rows: number): void;
  /** Reads the screen until it matches the pattern, and returns it. Throws after 30 seconds. */
  until(pattern: RegExp): Promise<string>;
  /**
   * Presses a key, also several times, until the screen matches the pattern. Questions and lists ignore a key shortly
   * after they appear. Throws after 20 presses.
   */
  press(key: string, pattern: RegExp): Promise<void>;
  /** Ends the tmux server and everything in it. */
  close(): void;
}

export function hasTmux(): boolean {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Runs a command in a folder. After the command ends, the screen shows `exit:` and its exit code. */
export function openTerminal(
  command: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>>,
  { columns = 100, rows = 30 }: { readonly columns?: number; readonly rows?: number } = {},
): PseudoTerminal {
  const own = mkdtempSync(join(tmpdir(), 'tidemark-tmux-'));
  const env = { PATH: process.env['PATH'], LANG: 'C.UTF-8', TERM: 'xterm', ...environment };
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-u', '-S', join(own, 'socket'), '-f', '/dev/null', ...args], { env, encoding: 'utf8' });
  const line = command.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  const size = ['-x', String(columns), '-y', String(rows), '-c', folder];
  tmux('new-session', '-d', ...size, '--', 'sh', '-c', `trap : INT; ${line}; echo "exit: $?"; exec cat`);
  const screen = (): string => tmux('capture-pane', '-p', '-J');
  const until = async (pattern: RegExp, ms = 30_000): Promise<string> => {
    const end = Date.now() + ms;
    for (let shown = screen(); ; shown = screen()) {
      if (pattern.test(shown)) return shown;
      if (Date.now() > end) throw new Error(`the screen does not show ${pattern}:\n${shown}`);
      // This wait uses a timer. The test's simulator runs in this process and needs the event loop.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return {
    type: (...keys) => void tmux('send-keys', ...keys),
    screen,
    styledRows: () => tmux('capture-pane', '-p', '-e').split('\n'),
    all: () => tmux('capture-pane', '-p', '-J', '-S', '-'),
    resize: (width, height) => void tmux('resize-window', '-x', String(width), '-y', String(height)),
    until,
    async press(key, pattern) {
      for (let presses = 1; !pattern.test(screen()); presses += 1) {
        tmux('send-keys', key);
        await until(pattern, BETWEEN_PRESSES_MS).catch((error: unknown) => {
          if (presses === 20) throw error;
        });
      }
    },
    close() {
      try {
        tmux('kill-server');
      } finally {
        rmSync(own, { recursive: true, force: true });
      }
    },
  };
}
