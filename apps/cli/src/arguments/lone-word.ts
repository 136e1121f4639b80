// Handles a prompt of a single word that is not a command, such as `models` or `login`. The user most likely meant a
// command, and a prompt costs money. At a terminal the user is asked. Elsewhere the word is refused, with the matching
// command and the way to send the word as a prompt.

import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';

/** Command names of other programs, each with the Tidemark command or setting to use instead. */
const HINTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    auth: '`tidemark keys list` shows which keys there are, `tidemark keys set anthropic` keeps one',
    chat: '`tidemark "what to do"` begins a session, `tidemark --continue "…"` goes on with the newest',
    completion: 'there is no completion for shells; `tidemark --help` lists the commands',
    continue: '`tidemark --continue "…"` goes on with the newest session, `tidemark resume` with a turn that was cut',
    history: '`tidemark sessions` lists the sessions, `tidemark show <session>` the steps of one',
    init: 'nothing has to be set up: `tidemark doctor` checks what is there, `tidemark config` shows what is set',
    list: '`tidemark sessions` lists the sessions',
    login: 'there is no login: `tidemark keys set anthropic` keeps a key, or set ANTHROPIC_API_KEY',
    logout: '`tidemark keys remove anthropic` removes a key',
    logs: '`tidemark sessions` lists the sessions, `tidemark show <session>` the steps of one',
    mcp: 'servers are set as `mcp.servers` in .tidemark/config.json or your own; `tidemark config` shows what is set',
    models: '--model chooses one, such as `--model sonnet`; `tidemark config` shows the one that is set',
    settings: '`tidemark config` shows what is set, and where',
    setup: 'nothing has to be set up: `tidemark doctor` checks what is there, `tidemark config` shows what is set',
    status: '`tidemark doctor` checks everything, `tidemark sessions` lists the sessions',
    undo: '`tidemark rewind` goes back to before a prompt, in a fork',
    update: 'update the clone with `git pull`, then `npm ci`',
    usage: '`tidemark cost` shows what was paid',
    version: '`tidemark --version` prints the version',
  }),
);

const SAME: ReadonlyMap<string, string> = new Map(
  Object.entries({
    completions: 'completion',
    ls: 'list',
    model: 'models',
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
 * Accepts a prompt, unless it is a single word that looks like a command. The word is compared without surrounding
 * spaces and invisible characters, and compatibility forms such as `ｍｏｄｅｌｓ` are normalized.
 *
 * @throws CliError `cli/unknown-command` when the word is refused, or when the user at the terminal does not confirm
 *   it.
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
  throw new CliError('cli/unknown-command', message, `${hint}; as a prompt: \`tidemark run "${name}"\``);
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
