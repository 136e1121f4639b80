// A shell command as rules look at it. What the grammar cannot read no rule allows, and every rule that forbids matches.

import type { CommandEffects } from '@tidemark/agent';
import { parse } from 'unbash';
import { possibleCommands } from './possible-commands.ts';
import type { AndOr, Command, Pipeline, Redirection, Script, Statement, Word } from 'unbash';

/** More openings of substitutions than any honest command has: to read them takes time by their square. */
const MOST_OPENINGS = 1_000;

const OPENING = /`|[$<>][({]/g;

const UNREAD: CommandEffects = { plain: undefined, possible: [[undefined]] };

/** Reads the text that `bash -c` is given. Runs nothing, throws nothing. */
export function readCommands(source: string): CommandEffects {
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

// The commands of a line that holds only commands in plain words: the only ones that a rule may allow. The grammar finds them,
// and the characters are checked again, so nothing is allowed where the parser and the shell differ.

/** A word that no shell reads in a way of its own: bare, or quoted whole. */
const PLAIN_WORD = /^(?:[\w@%+:,./=-]+|'[^'\p{Cc}]*'|"[^"$`\\!\p{Cc}]*")$/u;

const BARE_WORD = /^[\w@%+:,./-]+$/;

/** Output that is thrown away or joined: a redirection that touches no file. */
const HARMLESS = /^(?:[012]?>>?[ \t]*\/dev\/null|&>[ \t]*\/dev\/null|<[ \t]*\/dev\/null|[012]?>&[12])$/;

const BLANK = /^[ \t]+$/;

const BETWEEN = /^[ \t]*(?:\n|;|&&|\|\||\||&)[ \t\n]*$/;

const BEFORE = /^[ \t\n]*$/;

const BEHIND = /^[ \t]*[;&]?[ \t\n]*$/;

/** Each command word by word; `undefined` where the line holds anything else, or where anything of it is left to the running shell. */
function plainCommands(source: string, script: Script): readonly (readonly string[])[] | undefined {
  const commands = commandsOf(script);
  if (commands === undefined || commands.length === 0 || !areJoinedPlainly(source, commands)) return undefined;
  const words = commands.map((command) => wordsOf(source, command));
  return words.every((one) => one !== undefined) ? words : undefined;
}

function commandsOf({ commands }: Script): readonly Command[] | undefined {
  return together(commands.map(({ command }) => commandsIn(command)));
}

function commandsIn(node: Statement['command'] | AndOr | Pipeline): readonly Command[] | undefined {
  if (node.type === 'Command') return [node];
  if (node.type === 'AndOr') return together(node.commands.map(commandsIn));
  return node.type === 'Pipeline' && node.prefixes.length === 0 ? together(node.commands.map(commandsIn)) : undefined;
}

function together(all: readonly (readonly Command[] | undefined)[]): readonly Command[] | undefined {
  const found = all.flatMap((one) => one ?? []);
  return all.includes(undefined) ? undefined : found;
}

function areJoinedPlainly(source: string, commands: readonly Command[]): boolean {
  const begins = [...commands.map(({ pos }) => pos), source.length];
  const ends = [0, ...commands.map(({ end }) => end)];
  const gaps = begins.map((begin, index) => source.slice(ends[index], begin));
  return gaps.every((gap, index) => {
    if (index === 0) return BEFORE.test(gap);
    return (index === gaps.length - 1 ? BEHIND : BETWEEN).test(gap);
  });
}

function wordsOf(source: string, { pos, end, name, prefix, suffix }: Command): readonly string[] | undefined {
  if (name === undefined || prefix.length > 0 || !BARE_WORD.test(source.slice(name.pos, name.end))) return undefined;
  const parts = [name, ...suffix];
  const gaps = parts.slice(1).map((part, index) => source.slice(parts[index]?.end, part.pos));
  if (name.pos !== pos || parts.at(-1)?.end !== end || !gaps.every((gap) => BLANK.test(gap))) return undefined;
  const words: string[] = [];
  for (const part of parts) {
    const text = source.slice(part.pos, part.end);
    if (isRedirection(part) ? !HARMLESS.test(text) : !PLAIN_WORD.test(text)) return undefined;
    if (!isRedirection(part)) words.push(/^['"]/.test(text) ? text.slice(1, -1) : text);
  }
  return words;
}

type CommandPart = Word | Command['suffix'][number];

function isRedirection(part: CommandPart): part is Redirection {
  return part.type === 'Redirect' || part.type === 'HereString' || part.type === 'HereDoc';
}
