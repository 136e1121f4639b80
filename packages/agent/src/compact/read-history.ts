// What a compaction reads: a log, and what is folded from it.

import type { LogWriter } from '@tidemark/log';
import type { Session } from '../session/session.ts';

/** A history up to where its fold ends. An open session is one. */
export interface ReadHistory extends Pick<Session, 'log' | 'state' | 'progress'> {
  readonly writer: Pick<LogWriter, 'session'>;
}
