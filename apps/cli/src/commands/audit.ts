// `tidemark audit`: reports the cost of all coding agents on this machine, the smallest cost that was possible, and the
// difference by cause. It reads the agents' transcripts, imports nothing and sends nothing.

import type { AuditFlags } from '../audit/run-audit.ts';
import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';

/** Command `tidemark audit`, which reports the cost of all coding agents on this machine. */
export const auditCommand: Command = {
  name: 'audit',
  summary: 'report what the coding agents on this machine cost, what they had to cost, and why they cost more',
  examples: [
    ['tidemark audit', 'the last 30 days of every agent; nothing is sent or imported'],
    ['tidemark audit --since 2026-11-01 --project .', 'this folder, from a day on'],
    ['tidemark audit --html audit.html', 'also as a web page, without text of the sessions'],
    ['tidemark audit --json', 'all figures as one JSON object'],
  ],
  declare: (command, run) =>
    void command
      .option('--since <day>', 'count calls from this day or time on. Default: 30 days ago.')
      .option('--project <folder>', 'count only calls of agents that worked in this folder or below it')
      .option('--html <file>', 'write the report as one HTML page, too')
      .option('--titles', 'show titles of sessions, which are text of prompts, and whole paths in the page')
      .option('--no-advice', 'replay no session to compute what a change would have saved')
      .action((flags: AuditFlags) => run((context) => start(flags, context))),
};

/** Loads the audit only if it is needed, because each command loads this file. */
async function start(flags: AuditFlags, context: CommandContext): Promise<CommandOutcome> {
  return (await import('../audit/run-audit.ts')).runAudit(flags, context);
}
