// One row per call: its tokens, what it cost, and the tokens that were paid again, with their cause.

import type { LossCause, ModelCall } from '@tidemark/context';
import { accountOf, crossCheck, inputOfAccount } from '@tidemark/context';
import type { Picodollars } from '../database/picodollars.ts';
import { picodollars } from '../database/picodollars.ts';
import type { TableColumn } from '../database/table-column.ts';

/** Row of a call. `null` means that the value is unknown or does not apply. */
export interface CallRow {
  readonly session: string;
  readonly stream: string;
  readonly step: number;
  readonly at: string;
  readonly day: string;
  readonly provider: string;
  readonly model: string;
  /** 1, or 0 if another row counts the call and this row has only the usage above it. */
  readonly calls: 0 | 1;
  /** 1 if the cost of the call is unknown. */
  readonly unpriced: 0 | 1;
  readonly input: number;
  readonly fresh: number;
  readonly read: number;
  readonly written: number;
  /** Part of `written` that was written with a lifetime of one hour. */
  readonly writtenForHour: number;
  readonly output: number;
  readonly paid: Picodollars | null;
  /** Cause for which tokens were paid again. */
  readonly cause: LossCause | null;
  /** Tokens that were paid again. */
  readonly again: number;
  /** Amount by which these tokens cost more than if they had been read. `null` if the price is unknown. */
  readonly lost: Picodollars | null;
  /** Comparison of the provider's diagnosis with the cause that the counts show. */
  readonly verdict: string | null;
}

/** Returns the row of a call. */
export function callRow(call: ModelCall): CallRow {
  const { session, stream, step, at, provider, model, usage, again, diagnosis } = call;
  const account = accountOf(call);
  const { tokens, cost } = account;
  const paid = account.unpriced === 0 ? picodollars(cost) : null;
  // The row of a copied call has only the usage above the billed one. The tokens that were paid again are in the other row.
  const lost = account.calls === 0 ? undefined : again;
  const counted = lost?.counted ?? lost?.cause;
  return {
    session,
    stream,
    step,
    at,
    day: at.slice(0, 10),
    provider,
    model,
    calls: account.calls === 0 ? 0 : 1,
    unpriced: paid === null ? 1 : 0,
    input: inputOfAccount(account),
    fresh: tokens.fresh + tokens.untold,
    read: tokens.read,
    written: tokens.written,
    writtenForHour: tokens.written === 0 ? 0 : (usage.writes?.find(({ ttl }) => ttl === '1h')?.tokens ?? 0),
    output: tokens.answer + tokens.reasoning,
    paid,
    cause: lost?.cause ?? null,
    again: account.again.tokens,
    lost: lost?.cost === undefined || paid === null ? null : picodollars(lost.cost),
    verdict: diagnosis === undefined || counted === undefined ? null : crossCheck(diagnosis, [counted]),
  };
}

/** Columns of the table of calls, in order. */
export const CALL_COLUMNS: readonly TableColumn<CallRow>[] = [
  { name: 'session', type: 'TEXT NOT NULL', value: ({ session }) => session },
  { name: 'stream', type: 'TEXT NOT NULL', value: ({ stream }) => stream },
  { name: 'step', type: 'INTEGER NOT NULL', value: ({ step }) => step },
  { name: 'at', type: 'TEXT NOT NULL', value: ({ at }) => at },
  { name: 'day', type: 'TEXT NOT NULL', value: ({ day }) => day },
  { name: 'provider', type: 'TEXT NOT NULL', value: ({ provider }) => provider },
  { name: 'model', type: 'TEXT NOT NULL', value: ({ model }) => model },
  { name: 'calls', type: 'INTEGER NOT NULL', value: ({ calls }) => calls },
  { name: 'unpriced', type: 'INTEGER NOT NULL', value: ({ unpriced }) => unpriced },
  { name: 'input', type: 'INTEGER NOT NULL', value: ({ input }) => input },
  { name: 'fresh', type: 'INTEGER NOT NULL', value: ({ fresh }) => fresh },
  { name: 'read', type: 'INTEGER NOT NULL', value: ({ read }) => read },
  { name: 'written', type: 'INTEGER NOT NULL', value: ({ written }) => written },
  { name: 'written_for_hour', type: 'INTEGER NOT NULL', value: ({ writtenForHour }) => writtenForHour },
  { name: 'output', type: 'INTEGER NOT NULL', value: ({ output }) => output },
  { name: 'paid', type: 'INTEGER', value: ({ paid }) => paid },
  { name: 'cause', type: 'TEXT', value: ({ cause }) => cause },
  { name: 'again', type: 'INTEGER NOT NULL', value: ({ again }) => again },
  { name: 'lost', type: 'INTEGER', value: ({ lost }) => lost },
  { name: 'verdict', type: 'TEXT', value: ({ verdict }) => verdict },
];
