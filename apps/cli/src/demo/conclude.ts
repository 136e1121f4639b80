// What the demo came to: its price beside the ideal one, whether anything needs explaining, every byte again, and where to
// go from here.

import { explainSession, verifySession } from '@tidemark/agent';
import type { Capabilities } from '@tidemark/model';
import type { LedgerCall } from '@tidemark/simulator';
import { openNdjsonStore } from '@tidemark/store-ndjson';

import { describeExplanation } from '../explanation.ts';
import type { CommandContext, Outcome } from '../command.ts';
import { encoders } from '../encoders.ts';
import { EXIT } from '../exit-codes.ts';
import { counted, dollars, percent } from '../numbers.ts';
import type { Shown } from '../shown.ts';
import { styled } from '../shown.ts';
import { wrapWords } from '../wrap-words.ts';
import { WIDTH } from './show-work.ts';
import type { Sum } from './sum-up.ts';
import { sumUp } from './sum-up.ts';

/** A demo that has run. */
export interface DoneWork {
  /** Where its session is. */
  readonly home: string;
  readonly calls: readonly LedgerCall[];
  readonly capabilities: Capabilities;
  /** Whether its folder stays. */
  readonly keep: boolean;
}

/** Says it. */
export async function conclude(done: DoneWork, { output }: CommandContext): Promise<Outcome> {
  const { home, calls, capabilities, keep } = done;
  const store = openNdjsonStore({ home });
  const { sessions } = await store.sessions();
  const [session] = sessions.map((one) => one.session);
  if (session === undefined) return EXIT.bug;
  const { explained } = await explainSession(store, session, encoders);
  const { records, requests, differences, breaks } = await verifySession(store, session, { encoders });
  const sum = sumUp(calls, capabilities);
  const whole = differences.length === 0 && breaks.length === 0;
  const summary = {
    ok: whole,
    ...sum,
    explained: explained.length,
    verified: { records, requests, differences: differences.length },
    ...(keep && { home, session }),
  };
  output.result(summary, () => [
    '\n',
    ...paragraph('cost', costs(sum)),
    ...(explained.length === 0
      ? paragraph('why', 'nothing to explain: each request extends the one before it, and read all it could')
      : [styled('bold', 'why'.padEnd(INDENT)), ...explained.flatMap(describeExplanation), '\n']),
    ...paragraph(
      'verify',
      `${counted(requests, 'request')} made again from ${counted(records, 'record')} of the log: ${differences.length === 0 ? 'every byte the same' : 'some differ'}`,
    ),
    '\n',
    ...(keep ? lookInside(home, session) : NEXT),
  ]);
  return whole ? undefined : EXIT.difference;
}

const INDENT = 8;

function paragraph(head: string, text: string): readonly Shown[] {
  const lines = wrapWords(text, WIDTH - INDENT).map(
    (line, index) => `${index === 0 ? '' : ' '.repeat(INDENT)}${line}\n`,
  );
  return [styled('bold', head.padEnd(INDENT)), ...lines];
}

function costs({ calls, billed, uncached, cost, ideal }: Sum): string {
  return `${dollars(cost)} for ${counted(calls, 'call')}. The input cost ${percent(billed, uncached)} of what it costs without a cache, and ${(billed / ideal).toFixed(3)} of the ideal: each new token written once, each old one read`;
}

function lookInside(home: string, session: string): readonly Shown[] {
  return [
    styled('bold', 'kept'.padEnd(INDENT)),
    `export TIDEMARK_HOME=${home}\n`,
    `        npx tidemark show ${session}\n`,
    `        npx tidemark show ${session} 6 --diff`,
  ];
}

const NEXT: readonly Shown[] = [
  styled('bold', 'next'.padEnd(INDENT)),
  'npx tidemark demo --keep             keep this session, and look inside\n',
  '        npx tidemark replay <file>           what a transcript of your own (pi,\n',
  '                                             Claude Code) cost, and had to cost\n',
  '        npx tidemark "fix the failing test"  at work, with a key: it asks before\n',
  '                                             it changes anything',
];
