// A rule that allows git with any words allows any code: settings (`core.fsmonitor`) and options (`clone -u`) name programs.

import type { CommandPattern } from './command-pattern.ts';
import { programName } from './launchers.ts';

const READING = ['status', 'diff', 'log', 'show', 'blame', 'ls-files', 'rev-parse'] as const;

/** Options of git that stand before its subcommand and take the next word. */
const BEFORE_SUBCOMMAND =
  /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env|--super-prefix|--attr-source)$/;
/** Subcommands that write settings, or run what they are given. With a `*` any code is among their words. */
const RUNS_ANY =
  /^(config|submodule|bisect|filter-branch|difftool|mergetool|send-email|instaweb|daemon|hook|shell|for-each-repo)$/;
/** What these do where the next word is one of these: they read, or mark a commit. */
const NAMED: ReadonlyMap<string, RegExp> = new Map([
  ['config', /^(get|list|-l|--(list|get|get-all|get-regexp|get-urlmatch))$/],
  ['submodule', /^(status|summary)$/],
  ['bisect', /^(good|bad|old|new|skip|start|reset|log|terms)$/],
]);

/** Returns what is wrong with a pattern to allow that leaves open what git runs, with subcommands that only read. */
export function openGitProblem({ words, open }: CommandPattern): string | undefined {
  if (programName(words[0] ?? '') !== 'git' || !leavesGitOpen(words, open)) return undefined;
  const subcommands = READING.map((subcommand) => `"git ${subcommand} *"`).join(', ');
  return `would allow any code, since git runs programs that its settings and options name: allow subcommands that only read, as in ${subcommands}; or give one command word for word`;
}

function leavesGitOpen(words: readonly string[], open: boolean): boolean {
  const at = words.findIndex(
    (word, index) => index > 0 && !word.startsWith('-') && !BEFORE_SUBCOMMAND.test(words[index - 1] ?? ''),
  );
  if (words.slice(0, at === -1 ? undefined : at + 1).some((word) => word.includes('*'))) return true;
  if (!open || at === -1) return open;
  const [subcommand = '', next = ''] = words.slice(at);
  return RUNS_ANY.test(subcommand) && NAMED.get(subcommand)?.test(next) !== true;
}
