// List of the keys of the terminal, for `/keys`.

/** A key, and its effect. */
export type KeyHelp = readonly [key: string, effect: string];

/** Keys of the terminal, in groups. */
export const KEYS: readonly (readonly [group: string, keys: readonly KeyHelp[]])[] = [
  [
    'Sending',
    [
      ['Enter', 'send the text; while a turn runs, add it to the turn'],
      ['Tab', 'while a turn runs, queue the text for the time after it'],
      ['Esc', 'close a list; stop the running command or interrupt the turn'],
      ['Esc Esc', 'go back to an earlier prompt'],
      ['Shift-Tab', 'next mode: read-only, ask, accept-edits, auto, plan'],
      ['Ctrl-C', 'clear the text; twice on an empty editor: leave'],
      ['Ctrl-D', 'leave, on an empty editor'],
    ],
  ],
  [
    'Editing',
    [
      ['Ctrl-J, Alt-Enter, \\ Enter', 'new line'],
      ['Ctrl-A, Ctrl-E', 'start and end of the line'],
      ['Alt-B, Alt-F', 'one word back and forward'],
      ['Ctrl-W, Ctrl-U, Ctrl-K', 'cut the word, the line before and after the cursor'],
      ['Ctrl-Y, Alt-Y', 'insert the cut text, an earlier one'],
      ['Ctrl-_, Alt-_', 'undo, redo'],
      ['Up, Down', 'earlier and later prompts, from the first and the last row'],
      ['Ctrl-R', 'search the earlier prompts'],
      ['Ctrl-X Ctrl-E, Ctrl-G', 'edit the text in $EDITOR'],
      ['Ctrl-V', 'paste an image'],
    ],
  ],
  [
    'Looking',
    [
      ['?', 'list the keys, on an empty editor'],
      ['Ctrl-O', 'whole output of a call, or a whole thought'],
      ['Ctrl-T', 'whole transcript'],
      ['Ctrl-Z', 'suspend, also in the viewer; `fg` continues'],
    ],
  ],
];
