// A shell command as rules look at it. What the grammar cannot read no rule allows, and every rule that forbids matches.

import type { CommandActs } from '@tidemark/agent';
import { parse } from 'unbash';
import { plainCommands } from './plain-commands.ts';
import { possibleCommands } from './possible-commands.ts';

/** More openings of substitutions than any honest command has: to read them takes time by their square. */
const MOST_OPENINGS = 1_000;
const OPENING = /`|[$<>][({]/g;

const UNREAD: CommandActs = { plain: undefined, possible: [[undefined]] };

/** Reads the text that `bash -c` is given. Runs nothing, throws nothing. */
export function readCommands(source: string): CommandActs {
  if ((source.match(OPENING) ?? []).length > MOST_OPENINGS) return UNREAD;
  try {
    const script = parse(source);
    const isSound = (script.errors ?? []).length === 0;
    return { plain: isSound ? plainCommands(source, script) : undefined, possible: possibleCommands(source) };
  } catch {
    // A grammar that fails on hostile text has told nothing about it.
    return UNREAD;
  }
}
