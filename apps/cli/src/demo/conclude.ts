// Prints the result of the demo: its cost compared with the ideal cost, breaks and misses, the verification of every
// request, and the next steps.

import type { Capabilities } from '@tidemark/model';
import type { LedgerCall } from '@tidemark/simulator';
import { openNdjsonStore } from '@tidemark/store-ndjson';

import { describeExplanation } from '../reports/explanation.ts';
import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { EXIT } from '../frame/exit-codes.ts';
import { formatCount, dollars, percent } from '../frame/numbers.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';
import { wrapWords } from '../frame/wrap-words.ts';
import { WIDTH } from './show-work.ts';
import type { VerifiedSessions } from './verify-sessions.ts';
import { verifySessions } from './verify-sessions.ts';
import type { Sum } from './sum-up.ts';
import { sumUp } from './sum-up.ts';

/** Finished run of the demo. */
export interface DoneWork {
  /** Home that contains the session. */
  readonly home: string;
  readonly calls: readonly LedgerCall[];
  readonly capabilities: Capabilities;
  /** True if the demo's folder is not removed at the end. */
  readonly keep: boolean;
}

/**
 * Prints the result of the demo. Returns the exit code `difference` if a rebuilt request has different bytes or the log
 * is broken.
 */
export async function conclude(done: DoneWork, { output }: CommandContext): Promise<CommandOutcome> {
  const { home, calls, capabilities, keep } = done;
  const store = openNdjsonStore({ home });
  const { sessions } = await store.sessions();
  const main = sessions.find(({ startedBy }) => startedBy === undefined)?.session;
  if (main === undefined) return EXIT.bug;
  const ids = sessions.map(({ session }) => session);
  const { explained, senders, ...verified } = await verifySessions(store, ids);
  const sum = sumUp(calls, capabilities, (digest) => senders.get(digest));
  const whole = verified.differences === 0 && verified.breaks === 0;
  const summary = { ok: whole, ...sum, explained: explained.length, verified, ...(keep && { home, session: main }) };
  output.result(summary, () => [
    '\n',
    ...paragraph('cost', costs(sum)),
    ...(explained.length === 0
      ? paragraph('why', 'nothing to explain: each request extends the previous one and read all cached tokens')
      : [withStyle('bold', 'why'.padEnd(INDENT)), ...explained.flatMap(describeExplanation), '\n']),
    ...paragraph('verify', verdict(verified)),
    '\n',
    ...(keep ? lookInside(home, main) : NEXT),
  ]);
  return whole ? undefined : EXIT.difference;
}

function verdict({
  requests,
  records,
  sessions,
  differences,
}: Omit<VerifiedSessions, 'explained' | 'senders'>): string {
  const made = `${formatCount(requests, 'request')} rebuilt from ${formatCount(records, 'record')} of ${formatCount(sessions, 'log')}`;
  return `${made}: ${differences === 0 ? 'all bytes identical' : 'some differ'}`;
}

const INDENT = 8;

function paragraph(head: string, text: string): readonly Shown[] {
  const lines = wrapWords(text, WIDTH - INDENT).map(
    (line, index) => `${index === 0 ? '' : ' '.repeat(INDENT)}${line}\n`,
  );
  return [withStyle('bold', head.padEnd(INDENT)), ...lines];
}

function costs({ calls, billed, uncached, cost, ideal }: Sum): string {
  return `${dollars(cost)} for ${formatCount(calls, 'call')}. The input cost ${percent(billed, uncached)} of its cost without a cache, and ${(billed / ideal).toFixed(3)} × the ideal: each new token written once, each old token read`;
}

function lookInside(home: string, session: string): readonly Shown[] {
  return [
    withStyle('bold', 'kept'.padEnd(INDENT)),
    `export TIDEMARK_HOME=${home}\n`,
    `        npx tidemark show ${session}\n`,
    `        npx tidemark show ${session} 6 --diff\n`,
    '        npx tidemark sessions --tree',
  ];
}

const NEXT: readonly Shown[] = [
  withStyle('bold', 'next'.padEnd(INDENT)),
  'npx tidemark demo --keep             keep the session and inspect it\n',
  '        npx tidemark audit                   what your coding agents cost, and\n',
  '                                             why they cost more than they had to\n',
  '        npx tidemark "fix the failing test"  real work, with a key: it asks\n',
  '                                             before it changes anything',
];
