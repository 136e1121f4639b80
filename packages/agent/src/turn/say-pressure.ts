// How full the request is that goes out now: the status of every step, and a notice once where a tier is reached that asks
// for something to be done.

import { gaugeInWords } from '@tidemark/context';
import type { Prepared } from '../request/prepare.ts';
import type { TurnContext } from './turn-context.ts';

/** Says it. The record of a tier is in the log already, so that it is said once whoever listens. */
export function sayPressure({ session, tell }: TurnContext, { gauge, crossed }: Prepared): void {
  if (gauge === undefined) return;
  tell({ type: 'status.changed', gauge });
  if (crossed === undefined || crossed.tier === 'calm' || crossed.tier === 'advisory') return;
  const next = `See what a compaction would free: tidemark compact ${session.writer.session} --dry-run --json`;
  const notice = {
    code: 'context/pressure',
    tier: crossed.tier,
    message: `the next request holds ${gaugeInWords(gauge)}`,
    next,
  };
  tell({ type: 'notice.raised', notice });
}
