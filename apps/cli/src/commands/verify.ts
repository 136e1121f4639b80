// `tidemark verify`: rebuilds every request from the log. Checks that the rebuilt bytes are equal to the sent bytes
// (L2), and that the log is intact.

import type { Verification } from '@tidemark/agent';
import { verifySession } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import type { Damage } from '@tidemark/store-ndjson';
import { inspectSession } from '@tidemark/store-ndjson';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { encoders } from '../reports/encoders.ts';
import { EXIT } from '../frame/exit-codes.ts';
import { formatCount, formatNumber } from '../frame/numbers.ts';
import { isDifferent, observedLines } from '../reports/observed-report.ts';
import type { SessionFlags } from '../arguments/session-argument.ts';
import { declareSession, requiredSession } from '../arguments/session-argument.ts';
import { isImported } from '../arguments/step-argument.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';

/** Rebuilds every request of a session, compares the digests, and checks the digest chain of the log. */
export const verify: Command = {
  name: 'verify',
  summary: 'rebuild every request from the log and compare it, byte for byte, with what was sent',
  examples: [
    ['tidemark verify <session>', 'exit code 1 if a request differs, 4 if the log is damaged'],
    ['tidemark verify <session> --full', 'rebuild each request from the start, not from the previous one'],
    ['tidemark verify <session> --json', 'as one JSON object'],
  ],
  declare: (command, run) =>
    void declareSession(command)
      .option('--full', 'rebuild each request from the start of the log')
      .action((name: string | undefined, flags: VerifyFlags) =>
        run(async (context) => check(await requiredSession(name, flags, context), flags, context)),
      ),
};

interface VerifyFlags extends SessionFlags {
  readonly full?: boolean;
}

async function check(session: SessionId, options: VerifyFlags, context: CommandContext): Promise<CommandOutcome> {
  const store = await context.store();
  const { records, damage } = await inspectSession(store, session);
  if (damage !== undefined) throw damageError(session, damage);
  const found = await verifySession(store, session, { encoders, full: options.full === true });
  const ok =
    found.differences.length === 0 &&
    found.breaks.every((one) => one.cause !== undefined) &&
    !found.observed.differences.some(isDifferent);
  const imported = await isImported(store, session);
  context.output.result({ ok, session, ...found, records }, () => report({ session, found, records, ok, imported }));
  return ok ? undefined : EXIT.difference;
}

function damageError(session: SessionId, damage: Damage): LogError {
  const { path, line, offset, phase, reason } = damage;
  return new LogError(
    'log/damaged',
    `${session} is damaged: ${reason} (${path}, line ${line}, byte ${offset}, ${phase})`,
    { ...damage },
  );
}

interface VerifiedSession {
  readonly session: SessionId;
  readonly found: Verification;
  readonly records: number;
  readonly ok: boolean;
  readonly imported: boolean;
}

function report({ session, found, records, ok, imported }: VerifiedSession): Shown {
  const { observed, differences, breaks, problems } = found;
  const unlabelled = breaks.filter((one) => one.cause === undefined);
  return [
    withStyle(ok ? 'green' : 'red', ok ? 'verified' : 'differs'),
    ` ${session}\n  ${formatNumber(records)} records, digest chain intact`,
    ...requestLines(found, imported).map((line) => `\n  ${line}`),
    ...observedLines(observed).map((line) => `\n  ${line}`),
    ...differences.map(
      (one) =>
        `\n  ${one.stream === 'main' ? `step ${one.step}` : one.stream}: ${one.reason === undefined ? `recorded ${one.recorded.slice(0, 12)}…, rebuilt ${one.rebuilt.slice(0, 12)}…` : `cannot be rebuilt from the log: ${one.reason}`}`,
    ),
    ...unlabelled.map((one) => `\n  step ${one.step}: a break that no epoch explains (L3)`),
    ...problems.map((problem) => `\n  ignored: ${problem}`),
  ];
}

/** Returns the lines that report the requests sent by this runtime. */
function requestLines({ requests, observed, differences, breaks }: Verification, imported: boolean): readonly string[] {
  if (requests === 0 && observed.requests > 0) return [];
  if (requests === 0)
    return [
      imported
        ? '0 requests: an imported session has none (`tidemark replay --keep` replays it and keeps the requests)'
        : '0 requests: the session has sent none',
    ];
  const unlabelled = breaks.filter((one) => one.cause === undefined).length;
  const equal = differences.length === 0 ? 'all bytes identical' : `${differences.length} differ`;
  return [
    `${formatNumber(requests)} requests rebuilt, ${equal}`,
    `${formatCount(breaks.length - unlabelled, 'break')} with a recorded cause, ${formatNumber(unlabelled)} without`,
  ];
}
