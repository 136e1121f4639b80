// Events for presenters: committed records, and ephemeral events that are not stored. A presenter that misses an
// ephemeral event loses no stored data.

import type { Gauge, NoWarming, Tier, WarmPlan } from '@tidemark/context';
import type { CallId, Money, Recorded, Timestamp } from '@tidemark/log';
import type { BackgroundProcess } from './background-process.ts';
import type { HookEvent } from './hook-event.ts';

/** An event of a session. Only `recorded` events are canonical. */
export type SessionEvent =
  | { readonly type: 'recorded'; readonly record: Recorded }
  | { readonly type: 'text.delta'; readonly text: string }
  | { readonly type: 'reasoning.delta'; readonly text: string }
  | { readonly type: 'tool.progressed'; readonly call: CallId; readonly text: string }
  /**
   * Next piece of the output of a running call, with its secrets masked. Contains control characters as the tool wrote
   * them. Pieces are sent at most every 100 ms. They end at line ends, or in a line
   * that only reports progress, such as `Running ...`. A line in brackets replaces text that a presenter
   * did not take in time. The end of the output is not sent: it is in the result of the call.
   */
  | { readonly type: 'tool.output'; readonly call: CallId; readonly text: string }
  /**
   * Error that a tool threw, with its stack. The text of this error is not masked. The log and the model get only its
   * masked message.
   */
  | { readonly type: 'tool.threw'; readonly call: CallId; readonly tool: string; readonly error: unknown }
  | { readonly type: 'notice.raised'; readonly notice: Notice }
  /** The list of background processes has changed: a process started or ended. */
  | { readonly type: 'processes.changed'; readonly processes: readonly BackgroundProcess[] }
  /** Fill level of the window with the request that is being sent. */
  | { readonly type: 'status.changed'; readonly gauge: Gauge }
  | HookWaiting
  | CacheWarming;

/**
 * A hook has been running for more than a moment. When it has ended, the event is sent again with `over`. Hooks that
 * answer quickly send no event.
 */
interface HookWaiting {
  readonly type: 'hook.waiting';
  readonly hook: string;
  readonly on: HookEvent;
  /** Call that the hook is asked about. Absent if it is not asked about a call. */
  readonly call?: CallId;
  readonly over: boolean;
}

/**
 * State of keeping the cache warm between two turns. Contains the next planned request, or the reason why no request is
 * planned.
 */
interface CacheWarming {
  readonly type: 'cache.warming';
  /** Cost of keeping the cache warm in this session so far, in US dollars. */
  readonly spent: Money;
  readonly plan?: Pick<WarmPlan, 'by' | 'cost' | 'gain'> & { readonly at: Timestamp; readonly until: Timestamp };
  readonly why?: NoWarming['why'];
}

/** A message to a person, with the next action. */
export interface Notice {
  /** Code of the notice, such as `turn/retrying` or `source/failed`. */
  readonly code: string;
  /**
   * For a notice about pressure: the tier that the request has reached, or `recovery` if the runtime has already
   * reacted.
   */
  readonly tier?: Tier | 'recovery';
  readonly message: string;
  readonly next: string;
  /** For `turn/retrying`: the attempt that follows, counted from 1, and the time at which it begins. */
  readonly retry?: { readonly attempt: number; readonly of: number; readonly at: Timestamp };
}
