// `tidemark replay`: runs a recorded session through the engine against the simulator, at the recorded times.

import { existsSync } from 'node:fs';

import { Option } from 'commander';

import { defined } from '@tidemark/core';
import type { Lasting } from '@tidemark/agent';
import type { Log, SessionId } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { defaultCatalog } from '@tidemark/model';
import type { ReplayPruning, ReplayResult, ReplayWarm } from '@tidemark/recording';
import { importInto, replay, replayName } from '@tidemark/recording';
import { createMemoryStore } from '@tidemark/store-memory';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import type { SessionFlags } from '../arguments/session-argument.ts';
import { seekSession } from '../arguments/find-session.ts';
import { requiredSession } from '../arguments/session-argument.ts';
import { CliError } from '../frame/failure.ts';
import { missTable, replayHeadline, replayTable } from '../reports/replay-report.ts';
import { noteSkipped } from './import.ts';

/**
 * Command `tidemark replay`, which runs a recorded session or a transcript through the engine against the simulator.
 */
export const replayCommand: Command = {
  name: 'replay',
  summary: 'replay a recorded session against the simulator, and compare its cost: recorded, uncached and ideal',
  examples: [
    ['tidemark replay session.jsonl', 'a transcript, without importing it'],
    ['tidemark replay <session> --keep', 'a session; stores the replay for show, why and verify'],
    [
      'tidemark replay session.jsonl --pruning auto',
      'with old results shortened if this saves cost; compare with `never`',
    ],
    ['tidemark replay session.jsonl --json', 'all figures, breaks and misses as one JSON object'],
  ],
  declare: (command, run) =>
    void command
      .argument(
        '[transcript or session]',
        'transcript of Claude Code, Codex, Copilot CLI, Gemini CLI, OpenCode or pi; or the id or title of a session',
      )
      .option('--last', 'replay the newest session of this folder')
      .option('--keep', 'store the replayed session')
      .addOption(new Option('--ttl <life>', 'lifetime of cached prefixes').choices(LIVES).default('auto'))
      .addOption(
        new Option('--warm <how>', 'how the cache is kept warm during pauses').choices(WARMINGS).default('off'),
      )
      .addOption(
        new Option(
          '--pruning <when>',
          'shorten old results that were superseded or are unused, if this saves cost; sizes are then estimates',
        ).choices(PRUNINGS),
      )
      .action((subject: string | undefined, options: ReplayFlags) =>
        run((context) => replaySubject(subject, options, context)),
      ),
};

/** Cache lifetimes. `auto` chooses a lifetime by the pauses of the session. `5m` and `1h` are fixed. */
const LIVES: readonly Lasting[] = ['auto', '5m', '1h'];

/**
 * Ways to extend the life of the cache during pauses. With `off`, no calls are sent. With `refresh`, calls read the
 * cache entries before the entries expire. With `promotion`, calls can also extend the lifetime of the entries to one
 * hour. No provider is known to support this.
 */
const WARMINGS: readonly ReplayWarm[] = ['off', 'refresh', 'promotion'];

/**
 * Pruning policies for a replay. If the option is absent, nothing is pruned, and the sizes of the blocks come from the
 * recording. With `never` or `auto`, the sizes are estimated.
 */
const PRUNINGS: readonly ReplayPruning[] = ['never', 'auto'];

interface ReplayFlags extends SessionFlags {
  readonly keep?: boolean;
  readonly ttl: Lasting;
  readonly warm: ReplayWarm;
  readonly pruning?: ReplayPruning;
}

interface ReplaySubject {
  readonly source: Log;
  readonly sessions: readonly SessionId[];
  readonly skipped: readonly { readonly line: number; readonly reason: string }[];
}

async function replaySubject(
  name: string | undefined,
  options: ReplayFlags,
  context: CommandContext,
): Promise<CommandOutcome> {
  const { source, sessions, skipped } = await subjectOf(name, options, context);
  const target = options.keep === true ? await context.store() : createMemoryStore();
  const suffix = options.keep === true ? await freeSuffix(target, sessions) : '';
  const nameOf = (session: SessionId): SessionId => sessionId(`${replayName(session)}${suffix}`);
  const result = await replay({
    source,
    sessions,
    target,
    catalog: defaultCatalog(),
    name: nameOf,
    ttl: options.ttl,
    warm: options.warm,
    ...defined({ pruning: options.pruning }),
    ...progressOn(context),
  });
  report(result, options, context);
  if (!context.output.json) noteSkipped({ skipped }, context);
  return undefined;
}

/**
 * Returns the sessions to replay. If a file with this name exists, it is a transcript. Any other name is a session of
 * the store.
 */
async function subjectOf(
  name: string | undefined,
  flags: SessionFlags,
  context: CommandContext,
): Promise<ReplaySubject> {
  if (name !== undefined && flags.last !== true && existsSync(name)) {
    const source = createMemoryStore();
    const { sessions, skipped } = await importInto(source, name);
    return { source, sessions, skipped };
  }
  const session =
    name === undefined || flags.last === true
      ? await requiredSession(name, flags, context)
      : await seekSession(name, context);
  if (session !== undefined) return { source: await context.store(), sessions: [session], skipped: [] };
  throw new CliError(
    'cli/not-found',
    `there is no file and no session ${JSON.stringify(name)}`,
    'check the path, or see `tidemark sessions`',
  );
}

/**
 * Returns a suffix that makes the names of the replayed sessions unique, so a replay never overwrites an earlier
 * replay.
 */
async function freeSuffix(store: Log, sessions: readonly SessionId[]): Promise<string> {
  const { sessions: kept, unreadable } = await store.sessions();
  const taken = new Set<string>([...kept, ...unreadable].map((one) => one.session));
  for (let count = 1; ; count += 1) {
    const suffix = count === 1 ? '' : `-${count}`;
    if (!sessions.some((session) => taken.has(`${replayName(session)}${suffix}`))) return suffix;
  }
}

const CALLS_PER_NOTE = 200;

function progressOn({ output }: CommandContext): { readonly onCall?: () => void } {
  if (!output.watched) return {};
  let calls = 0;
  return {
    onCall: () => {
      calls += 1;
      if (calls % CALLS_PER_NOTE === 0) output.note(`${calls} calls replayed`);
    },
  };
}

function report(result: ReplayResult, options: ReplayFlags, { output }: CommandContext): void {
  const { sessions, ...figures } = result;
  output.result({ ...figures, ...(options.keep === true ? { kept: sessions } : {}) }, () => replayHeadline(result));
  if (result.calls === 0) return;
  output.table(replayTable(result));
  const misses = missTable(result);
  if (misses !== undefined) output.table(misses);
  if (options.keep === true) output.line(`stored as ${sessions.join(', ')}\nnext: tidemark why ${sessions[0] ?? ''}`);
}
