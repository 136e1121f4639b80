// Reads a shell command for permission rules. If the grammar cannot parse a command, the command matches no allow rule
// and every deny rule.

import type { CommandEffects } from '@tidemark/agent';
import { parse } from 'unbash';
import { possibleCommands } from './possible-commands.ts';
import type { AndOr, Command, Pipeline, Redirection, Script, Statement, Word } from 'unbash';

/**
 * Maximum number of substitutions that a line may open. Parsing time grows with the square of this number. Ordinary
 * commands open fewer.
 */
const MAX_OPENINGS = 1_000;

const OPENING = /`|[$<>][({]/g;

const UNREAD: CommandEffects = { plain: undefined, possible: [[undefined]] };

/**
 * Finds the commands in the text that `bash -c` receives. `plain` lists the commands of a line if all their words are
 * plain. `possible` lists all commands that the line could run. Runs nothing and never throws.
 */
export function readCommands(source: string): CommandEffects {
  if ((source.match(OPENING) ?? []).length > MAX_OPENINGS) return UNREAD;
  try {
    const script = parse(source);
    const isSound = (script.errors ?? []).length === 0;
    return { plain: isSound ? plainCommands(source, script) : undefined, possible: possibleCommands(source) };
  } catch {
    // If the grammar fails on hostile text, no command in the text is known.
    return UNREAD;
  }
}

// The code below reads a line only if all its commands consist of plain words. Only such commands can match an allow
// rule. The grammar finds the commands, and then their characters are checked again. The parser and the shell could
// read a line differently. Such a line matches no allow rule.

/** A word that every shell reads in the same way: without quotes, or completely inside one pair of quotes. */
const PLAIN_WORD = /^(?:[\w@%+:,./=-]+|'[^'\p{Cc}]*'|"[^"$`\\!\p{Cc}]*")$/u;

const BARE_WORD = /^[\w@%+:,./-]+$/;

/** A redirection that uses no file. The output is discarded or joined with the other output, or the input is empty. */
const HARMLESS = /^(?:[012]?>>?[ \t]*\/dev\/null|&>[ \t]*\/dev\/null|<[ \t]*\/dev\/null|[012]?>&[12])$/;

const BLANK = /^[ \t]+$/;

const BETWEEN = /^[ \t]*(?:\n|;|&&|\|\||\||&)[ \t\n]*$/;

const BEFORE = /^[ \t\n]*$/;

const BEHIND = /^[ \t]*[;&]?[ \t\n]*$/;

/**
 * Returns each command as a list of words. If the line contains anything else, or if a part depends on the running
 * shell, returns `undefined`.
 */
function plainCommands(source: string, script: Script): readonly (readonly string[])[] | undefined {
  const commands = commandsOf(script);
  if (commands === undefined || commands.length === 0 || !areJoinedPlainly(source, commands)) return undefined;
  const words = commands.map((command) => wordsOf(source, command));
  return words.every((one) => one !== undefined) ? words : undefined;
}

function commandsOf({ commands }: Script): readonly Command[] | undefined {
  return joinCommands(commands.map(({ command }) => commandsIn(command)));
}

function commandsIn(node: Statement['command'] | AndOr | Pipeline): readonly Command[] | undefined {
  if (node.type === 'Command') return [node];
  if (node.type === 'AndOr') return joinCommands(node.commands.map(commandsIn));
  return node.type === 'Pipeline' && node.prefixes.length === 0
    ? joinCommands(node.commands.map(commandsIn))
    : undefined;
}

function joinCommands(all: readonly (readonly Command[] | undefined)[]): readonly Command[] | undefined {
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
