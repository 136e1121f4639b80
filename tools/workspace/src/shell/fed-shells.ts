// Programs that open a shell, on this machine or on another machine. If they have no command, the shell runs the text
// in its input. A pipe into such a program is therefore like a pipe into `sh`.

import type { PossibleCommand } from '@tidemark/agent';

/** Options of a program that opens a shell. */
interface OpenedShell {
  /** Options whose value is the next word. */
  readonly withValue: RegExp;
  /** Options with which the program opens no shell that reads its input. */
  readonly without?: RegExp;
  /** Options that the program needs to open a shell. Without them, it opens no shell. */
  readonly needs?: RegExp;
  /** Number of words that are not options. If there are more words, they are a command. */
  readonly words: { readonly least: number; readonly most: number };
}

const OF_SUDO: OpenedShell = {
  withValue: /^-[A-Za-z]*[ugpCDRTtrhUa]$/,
  needs: /^(-[A-Za-z]*[si]|--shell|--login)$/,
  words: { least: 0, most: 0 },
};

/** Programs that open a shell if they have no command. This shell reads its input. */
const SHELL_OPTIONS: Readonly<Record<string, OpenedShell>> = {
  ssh: {
    withValue: /^-[A-Za-z0-9]*[BbcDEeFIiJLlmOopQRSWw]$/,
    // `-N` runs nothing, and `-n` and `-f` read no input. The other options only print or forward something.
    without: /^-[1246AaCfgGKkMNnqsTtVvXxYy]*[NnfVGQOW]/,
    words: { least: 1, most: 1 },
  },
  su: {
    withValue: /^-[A-Za-z]*[sgGw]$/,
    without: /^(-[A-Za-z]*[chV]|--(command|session-command|help|version)(=|$))/,
    words: { least: 0, most: 1 },
  },
  sg: { withValue: /^$/, without: /^-c/, words: { least: 1, most: 1 } },
  newgrp: { withValue: /^$/, words: { least: 0, most: 1 } },
  wsl: { withValue: /^(-[du]|--(distribution|user|cd))$/, without: /^(-e|--exec|--)$/, words: { least: 0, most: 0 } },
  sudo: OF_SUDO,
  doas: OF_SUDO,
};

/** Returns true if the program opens a shell that reads its commands from the input, as `sh` without a script does. */
export function readsShellInput(name: string, given: PossibleCommand): boolean {
  const options = Object.hasOwn(SHELL_OPTIONS, name) ? SHELL_OPTIONS[name] : undefined;
  if (options === undefined) return false;
  const { withValue, without, needs, words } = options;
  const values = (word: string | undefined, index: number): boolean =>
    word?.startsWith('-') !== true && !withValue.test(given[index - 1] ?? '');
  const count = given.filter(values).length;
  if (count < words.least || count > words.most) return false;
  if (given.some((word) => without?.test(word ?? '') === true)) return false;
  return needs === undefined || given.some((word) => needs.test(word ?? ''));
}
