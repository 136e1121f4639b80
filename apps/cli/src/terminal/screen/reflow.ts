// Reflow: behaviour of a terminal with its rows when it becomes narrower. Some terminals cut the rows, others wrap them.

/**
 * `by-lines`: the terminal wraps each row that has become too long, and a backspace finds the beginning of the row again.
 * `all`: it wraps each of them, and the program computes their height. `none`: it cuts the rows.
 */
export type Reflow = 'by-lines' | 'all' | 'none';

/** Programs that are built on xterm.js. */
const XTERM_JS: readonly string[] = ['vscode', 'Hyper', 'Tabby'];

const REFLOWING: readonly string[] = ['iTerm.app', 'Apple_Terminal', 'WezTerm', 'ghostty'];

/** Variables that terminals set which wrap their rows. */
const VARIABLES: readonly string[] = [
  'VTE_VERSION',
  'KITTY_WINDOW_ID',
  'KONSOLE_VERSION',
  'ALACRITTY_WINDOW_ID',
  'WT_SESSION',
];

/**
 * Returns the behaviour of the terminal of an environment. For an unknown terminal it is `none`: a program that
 * expects too many rows would erase rows above its own.
 */
export function reflowIn(environment: Readonly<Record<string, string | undefined>>): Reflow {
  const { TERM = '', TERM_PROGRAM = '', TMUX, STY, XTERM_VERSION } = environment;
  if (TMUX !== undefined || TERM_PROGRAM === 'tmux') return 'by-lines';
  if (STY !== undefined || XTERM_VERSION !== undefined) return 'none';
  if (XTERM_JS.includes(TERM_PROGRAM)) return 'by-lines';
  if (TERM.startsWith('tmux')) return 'by-lines';
  const isKnown =
    REFLOWING.includes(TERM_PROGRAM) ||
    Object.keys(environment).some((name) => VARIABLES.includes(name)) ||
    /^(foot|alacritty|xterm-kitty|xterm-ghostty|wezterm)/.test(TERM);
  return isKnown ? 'all' : 'none';
}
