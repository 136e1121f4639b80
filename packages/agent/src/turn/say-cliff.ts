// A request that is the first to go beyond a length from which all of it costs more: told once, before it is sent.

import { expectedInput } from '@tidemark/context';
import { cliffInWords } from '../decide/rewrites.ts';
import type { Prepared } from '../request/prepare.ts';
import type { TurnContext } from './turn-context.ts';

/** Raises the notice. A request that is sent again was told of the first time, whichever process sent it. */
export function sayCliff({ session, tell }: TurnContext, { outlook: { cliff, forecast }, record }: Prepared): void {
  if (cliff === undefined || record.data.attempt > 0) return;
  const tokens = expectedInput(forecast).toLocaleString('en-US');
  const notice = {
    code: 'context/price-cliff',
    message: `the next request holds about ${tokens} tokens: ${cliffInWords(cliff)}, and every longer one after it`,
    next: `See what a compaction would free: tidemark compact ${session.writer.session} --dry-run --json`,
  };
  tell({ type: 'notice.raised', notice });
}
