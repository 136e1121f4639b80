// `tidemark import`: converts a transcript of another agent into a session.

import type { Imported } from '@tidemark/recording';
import { importInto } from '@tidemark/recording';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { formatCount, formatNumber } from '../frame/numbers.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';

/** Command `tidemark import`, which converts a transcript of another agent into a session. */
export const importCommand: Command = {
  name: 'import',
  summary:
    'create a session from a transcript of Claude Code, Codex, Copilot CLI, Gemini CLI, OpenCode or pi; the format is detected from the content',
  examples: [
    ['tidemark import ~/.claude/projects/shop/4f1c.jsonl', 'prints the id of the session; nothing in the file is lost'],
    [
      'tidemark import ~/.claude/projects/shop/4f1c.jsonl',
      'again, after the file grew: new lines are added to the session',
    ],
    ['tidemark import ~/.local/share/opencode/opencode.db#ses_1', 'one session in the database of OpenCode'],
    ['tidemark import session.jsonl --json', 'as one JSON object'],
  ],
  declare: (command, run) =>
    void command
      .argument('<file>', 'transcript file')
      .action((file: string) => run((context) => importFile(file, context))),
};

async function importFile(file: string, context: CommandContext): Promise<CommandOutcome> {
  const imported = await importInto(await context.store(), file);
  context.output.result({ ok: true, ...imported }, () => report(imported));
  if (!context.output.json) noteSkipped(imported, context);
  return undefined;
}

function report(imported: Imported): Shown {
  const { session, sessions, format, lines, events, calls } = imported;
  const others = sessions.length - 1;
  return [
    withStyle('cyan', session),
    `\n  ${format}: ${formatNumber(lines)} lines, ${formatNumber(events)} events, ${formatNumber(calls)} billed calls`,
    others === 0
      ? ''
      : `\n  and ${others} more ${others === 1 ? 'session' : 'sessions'} (subagents, branches): ${sessions.filter((one) => one !== session).join(', ')}`,
    ...requestLines(imported),
    ...subagentLines(imported),
    standing(imported),
    `\nnext: tidemark replay ${session}`,
  ];
}

/**
 * Returns the lines that count the recorded requests. The transcript of an older agent version contains no requests.
 */
function requestLines({ session, requests }: Imported): readonly string[] {
  const { recorded, incomplete } = requests;
  if (recorded === 0) return [];
  const lost =
    incomplete === 0 ? '' : `; ${formatNumber(incomplete)} of them lack parts that the file does not contain`;
  return [
    `\n  ${formatCount(recorded, 'recorded request')}${lost}: \`tidemark verify ${session}\` and \`tidemark why ${session}\` use them`,
  ];
}

function subagentLines({ subagent }: Imported): readonly string[] {
  if (subagent === undefined) return [];
  const { main, startedBy } = subagent;
  return [
    startedBy === undefined
      ? `\n  a subagent without a link to its main session, because that session was not imported before: ${main}`
      : `\n  a subagent of ${startedBy.session}`,
  ];
}

/**
 * Returns a line that compares the import with an earlier import of the same transcript. For a first import, returns an
 * empty string.
 */
function standing({ added, updated, diverged }: Imported): string {
  if (added === 0) return '\n  it was already imported; nothing was added';
  if (updated) return `\n  it has grown since the last import; ${formatNumber(added)} events were added`;
  if (diverged === undefined) return '';
  return `\n  its records differ from those of the earlier import ${diverged}: it is now a session of its own, and each call is billed once`;
}

const SKIPPED_SHOWN = 10;

/**
 * Prints to stderr the first 10 skipped lines of the transcript, each with the reason. Then prints the number of
 * further skipped lines. All other lines were imported.
 */
export function noteSkipped({ skipped }: Pick<Imported, 'skipped'>, { output }: Pick<CommandContext, 'output'>): void {
  for (const { line, reason } of skipped.slice(0, SKIPPED_SHOWN)) output.note(`skipped: line ${line}: ${reason}`);
  if (skipped.length > SKIPPED_SHOWN)
    output.note(`skipped: ${skipped.length - SKIPPED_SHOWN} more lines; \`--json\` lists all of them`);
}
