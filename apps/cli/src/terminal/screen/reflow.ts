// Reflow: behaviour of a terminal with its rows when it becomes narrower. Some terminals cut the rows, others wrap them.

/**
 * `all`: the terminal wraps each row that has become too long. `above-cursor`: it does not wrap the row of the cursor.
 * `none`: it cuts the rows.
 */
export type Reflow = 'all' | 'above-cursor' | 'none';

/** Programs that are built on xterm.js. It leaves the row of the cursor to the program. */
const XTERM_JS: readonly string[] = ['vscode', 'Hyper', 'Tabby'];

const REFLOWING: readonly string[] = ['iTerm.app', 'Apple_Terminal', 'WezTerm', 'ghostty', 'tmux'];

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
  if (TMUX !== undefined) return 'all';
  if (STY !== undefined || XTERM_VERSION !== undefined) return 'none';
  if (XTERM_JS.includes(TERM_PROGRAM)) return 'above-cursor';
  const isKnown =
    REFLOWING.includes(TERM_PROGRAM) ||
    Object.keys(environment).some((name) => VARIABLES.includes(name)) ||
    /^(tmux|foot|alacritty|xterm-kitty|xterm-ghostty|wezterm)/.test(TERM);
  return isKnown ? 'all' : 'none';
}
