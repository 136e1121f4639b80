// Handles a prompt of a single word that is not a command, such as `history` or `login`. The user most likely meant a
// command, and a prompt costs money. If there is a terminal, the user is asked. Otherwise the word is refused. The
// error names the matching command and the way to send the word as a prompt.

import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';

/** Command names of other programs, each with the Tidemark command or setting to use instead. */
const HINTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    auth: '`tidemark keys list` lists the keys, `tidemark keys set anthropic` stores one',
    chat: '`tidemark "what to do"` starts a session, `tidemark --continue "…"` continues the newest one',
    continue: '`tidemark --continue "…"` continues the newest session, `tidemark resume` continues an interrupted turn',
    history: '`tidemark sessions` lists the sessions, `tidemark show <session>` shows the steps of one',
    init: 'no setup is needed: `tidemark doctor` checks the installation, `tidemark config` shows the settings',
    list: '`tidemark sessions` lists the sessions',
    login: 'there is no login: store a key with `tidemark keys set anthropic`, or set ANTHROPIC_API_KEY',
    logout: '`tidemark keys remove anthropic` removes a key',
    logs: '`tidemark sessions` lists the sessions, `tidemark show <session>` shows the steps of one',
    settings: '`tidemark config` shows the settings and their sources',
    setup: 'no setup is needed: `tidemark doctor` checks the installation, `tidemark config` shows the settings',
    status: '`tidemark doctor` checks everything, `tidemark sessions` lists the sessions',
    undo: '`tidemark rewind` forks a session from before one of its prompts',
    update: 'update the clone with `git pull`, then `npm ci`',
    usage: '`tidemark cost` shows the costs',
    version: '`tidemark --version` prints the version',
  }),
);

const SAME: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ls: 'list',
    new: 'chat',
    start: 'chat',
    upgrade: 'update',
  }),
);

/** Matches words that could be a command name. Other words, such as `erkläre` or `修复测试`, are always a prompt. */
const COMMAND_LIKE = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** Matches invisible characters, such as a zero-width space. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Accepts a prompt, unless it is a single word that looks like a command. For the comparison, surrounding spaces and
 * invisible characters are removed, and compatibility forms such as `ｈｉｓｔｏｒｙ` are normalized.
 *
 * @throws CliError `cli/unknown-command` when the word is refused, or when the user at the terminal does not confirm
 * it.
 */
export async function requirePrompt(words: readonly string[], context: CommandContext): Promise<void> {
  const [word, ...others] = words.filter((one) => plainWord(one) !== '');
  if (word === undefined || others.length > 0) return;
  const name = plainWord(word);
  if (!COMMAND_LIKE.test(name)) return;
  const { input, output, signal } = context;
  const hint = hintFor(name);
  const read = word === name ? '' : `, read as "${name}"`;
  const message = `there is no command "${showUnseen(word)}"${read}`;
  if (input.terminal && !output.json) {
    const answer = await input.ask(`${message}: ${hint}. Send it to the model as a prompt? (y/n) `, signal);
    if (/^\s*y(es)?\s*$/i.test(answer)) return;
  }
  throw new CliError(
    'cli/unknown-command',
    message,
    `${hint}; to send the word as a prompt: \`tidemark run "${name}"\``,
  );
}

function plainWord(word: string): string {
  return word.normalize('NFKC').replaceAll(UNSEEN, '').trim();
}

function showUnseen(word: string): string {
  return word.replaceAll(
    UNSEEN,
    (one) => `<U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}

function hintFor(word: string): string {
  const name = word.toLowerCase();
  return HINTS.get(SAME.get(name) ?? name) ?? '`tidemark --help` lists the commands';
}
