// The projection of Tidemark's own sessions: its questions and its answers. Every function is asynchronous, so that a
// database on another machine can implement it.

import type { LossCause, Tokens } from '@tidemark/context';
import type { Money, SessionId } from '@tidemark/log';

/** Calls to include. An absent field matches every call. */
export interface CallFilter {
  /** Earliest time of the calls: a day such as `2026-11-20`, or a timestamp. */
  readonly since?: string;
  /** Time after the last call: a day or a timestamp. */
  readonly until?: string;
  readonly session?: string;
  readonly workspace?: string;
  readonly model?: string;
  readonly provider?: string;
}

/** Ways to group calls. */
export type CallGrouping = 'session' | 'day' | 'model' | 'provider' | 'contract' | 'cause' | 'workspace';

/**
 * Sum of money in exact US dollars. `cost` is `null` if no part of it is known. `unpriced` is the number of calls whose
 * part is unknown and in no sum.
 */
export interface Amount {
  readonly cost: Money | null;
  readonly unpriced: number;
}

/** Tokens that were paid again, and their cost above the price of reading them. */
export interface PaidAgainSums extends Amount {
  readonly calls: number;
  readonly tokens: number;
}

/** Use of the cache by calls. Rates are between 0 and 1, and `null` if there is nothing to divide by. */
export interface CacheSums {
  readonly calls: number;
  /** Number of calls whose input is unknown. Their input is in no sum. */
  readonly uncounted: number;
  readonly tokens: Tokens;
  /** Share of the input that was read from the cache. */
  readonly hitRate: number | null;
  /** Share of the input that was written to the cache. */
  readonly writeShare: number | null;
  /** Tokens read, as a share of the tokens that could have been read. */
  readonly coverage: number | null;
  /** Share of the input that was in another bucket than forecast. */
  readonly forecastError: number | null;
  /** Written tokens that no call read and no later call can read. */
  readonly wasted: number;
  /** Written tokens that no call read yet. */
  readonly waiting: number;
  readonly lost: PaidAgainSums;
}

/** Cost of calls. */
export interface CostSums {
  readonly calls: number;
  /** Number of calls whose output is unknown. Their output is in no sum. */
  readonly unanswered: number;
  readonly tokens: Tokens;
  readonly paid: Amount;
  /** Calls of unknown cost with a known upper bound. */
  readonly bounded: { readonly calls: number; readonly cost: Money };
  /** Calls without a count of the provider, with their estimated tokens and the upper bound of their cost. */
  readonly estimated: { readonly calls: number; readonly tokens: number; readonly cost: Money };
  /**
   * Cost of the calls whose three costs are all known: as paid, without a cache, and with an ideal cache. `unpriced`
   * calls are in none of the three.
   */
  readonly compared: ComparedSums;
  readonly lost: PaidAgainSums;
  /** Calls above a length from which the whole request costs more, with the additional cost. */
  readonly dearer: Amount & { readonly calls: number };
  /** Requests that services outside of the sessions billed. Their cost is not in `paid`. */
  readonly charged: Amount & { readonly requests: number };
}

/** Costs of the same calls in three cases. All are `null` if no call has all of them. */
export interface ComparedSums {
  readonly calls: number;
  readonly unpriced: number;
  readonly paid: Money | null;
  readonly uncached: Money | null;
  readonly ideal: Money | null;
}

/** Sums over all calls of a filter, and over the calls of each group. */
export interface Grouped<Sums> {
  readonly whole: Sums;
  /** Groups by name. Absent without a grouping. */
  readonly groups?: readonly GroupOfCalls<Sums>[];
}

/**
 * Sums of one group. The name is `null` for calls that have none, such as calls that paid nothing again if they are
 * grouped by cause. Charges are only in groups by session, day and workspace, because they have no other name.
 */
export interface GroupOfCalls<Sums> {
  readonly name: string | null;
  readonly sums: Sums;
}

/** One call of a session. `null` means that the value is unknown or does not apply. */
export interface CallReport {
  /** Position of the request record. */
  readonly request: number | null;
  /** Position of the record that ended the call. It is `request` for a call that was cut off or still runs. */
  readonly answer: number;
  readonly stream: string;
  readonly step: number;
  readonly at: string;
  /** Milliseconds from the request to its answer. */
  readonly duration: number | null;
  readonly provider: string;
  readonly model: string;
  readonly contract: string | null;
  /** Causes of the epoch that the call opened, joined by ` + `. */
  readonly opened: string | null;
  /** Causes for which the call paid tokens again, joined by ` + `. */
  readonly cause: string | null;
  readonly tokens: Tokens;
  /** Tokens that earlier calls had left in the cache for this call. */
  readonly held: number | null;
  /** Part of the written tokens that was written with a lifetime of one hour. */
  readonly writtenForHour: number;
  /** Comparison of the provider's diagnosis with our causes: `agrees`, `disagrees`, `explains` or `silent`. */
  readonly verdict: string | null;
  readonly wasted: number;
  readonly waiting: number;
  readonly forecast: {
    readonly read: number;
    readonly write: number;
    readonly fresh: number;
    readonly cost: Money | null;
  } | null;
  readonly paid: Money | null;
  readonly uncached: Money | null;
  readonly ideal: Money | null;
  readonly again: number;
  readonly lost: Money | null;
}

/** Part of the calls of a session, in the order of its log. */
export interface CallPage {
  readonly calls: readonly CallReport[];
  /** Position from which the next page begins, or `null` after the last call. */
  readonly next: number | null;
}

/** Session with its totals over all its own calls. */
export interface SessionReport {
  readonly session: string;
  readonly root: string;
  /** Session that this one was forked from. */
  readonly parent: string | null;
  /** Session that started this one as its subagent. */
  readonly startedBy: string | null;
  readonly workspace: string;
  readonly title: string | null;
  readonly createdAt: string;
  /** Time of the latest record. */
  readonly changedAt: string;
  /** Number of records, ancestors included. */
  readonly records: number;
  /** Reason why the session could not be read to its end. The totals are then those of the records before. */
  readonly problem: string | null;
  /** Number of its breaks, as `listBreaks` lists them. */
  readonly breaks: number;
  readonly cost: CostSums;
  readonly cache: CacheSums;
}

/** Sessions to list, latest change first. */
export interface SessionQuery extends CallFilter {
  /** Text that the title contains, in any case. */
  readonly title?: string;
  /** Number of sessions. Default 50, at most 500. */
  readonly limit?: number;
  /** Value of `next` of the page before. */
  readonly after?: string;
}

/** Part of the list of sessions. */
export interface SessionListPage {
  readonly sessions: readonly SessionReport[];
  /** Value for the field `after` of the next page, or `null` after the last session. */
  readonly next: string | null;
}

/** Search over titles, prompts, answers, and the paths of files that calls read or changed. */
export interface TextQuery {
  /**
   * Words that a record must contain, in any case and without accents. Words in quotes must be next to each other. Each
   * other word also finds longer words that begin with it.
   */
  readonly text: string;
  /** Session to search. Default: all sessions. */
  readonly session?: string;
  /** Number of sessions. Default 20, at most 100. */
  readonly limit?: number;
}

/** Sessions with a match, latest change first. */
export interface FoundSessions {
  readonly sessions: readonly SessionMatches[];
  /** True if more sessions have a match. */
  readonly more: boolean;
}

/** Matches of one session. A fork has only those of its own records. */
export interface SessionMatches {
  readonly session: string;
  readonly title: string | null;
  readonly workspace: string;
  readonly changedAt: string;
  /** Number of records that match. */
  readonly records: number;
  /** The last of them: three of each session, or 200 of the session of the search. */
  readonly places: readonly MatchPlace[];
}

/** Record that matches. The texts are in the log and not in the projection. */
export interface MatchPlace {
  readonly position: number;
  /** Step of the first call that contained the record or answered with it. `null` if there is none yet. */
  readonly step: number | null;
  /** Position of the request of this call. In an import without a record of the request, of its answer. */
  readonly request: number | null;
}

/** Place where a session paid tokens again, or opened an epoch after its first. */
export interface BreakReport {
  readonly session: string;
  readonly request: number | null;
  readonly answer: number;
  readonly stream: string;
  readonly step: number;
  readonly at: string;
  readonly provider: string;
  readonly model: string;
  readonly contract: string | null;
  /** Causes of the miss, or of the opened epoch if no token was missed. */
  readonly causes: readonly LossCause[];
  readonly opened: string | null;
  readonly tokens: number | null;
  readonly cost: Money | null;
}

/** Breaks to list, latest first. */
export interface BreakQuery extends CallFilter {
  /** Number of breaks. Default 100, at most 1000. */
  readonly limit?: number;
  /** Value of `next` of the page before. */
  readonly after?: string;
}

/** Part of the list of breaks. */
export interface BreakPage {
  readonly breaks: readonly BreakReport[];
  /** Value for the field `after` of the next page, or `null` after the last break. */
  readonly next: string | null;
}

/** Sums over breaks. `unpriced` is the number of breaks of unknown cost. */
export interface BreakSums extends Amount {
  readonly breaks: number;
  readonly tokens: number;
  /** Number of breaks whose tokens are unknown. */
  readonly uncounted: number;
}

/** Use of one skill. */
export interface SkillReport {
  readonly name: string;
  readonly loads: number;
  readonly tokens: number;
  /** Number of sessions that loaded the skill. */
  readonly sessions: number;
  readonly reasons: { readonly always: number; readonly on_demand: number; readonly auto_suggested: number };
  readonly versions: readonly string[];
  readonly sources: readonly string[];
  /** Sessions that got the skill at their start, and the number of these that also asked for it. */
  readonly preloaded: { readonly sessions: number; readonly asked: number };
}

/** Options of an update. */
export interface SessionUpdateOptions {
  /** Sessions to read. Default: all sessions of the store. */
  readonly sessions?: readonly SessionId[];
  /** Ends the update. The rows that were written stay. */
  readonly signal?: AbortSignal;
  /** Is called before each session and at the end. */
  readonly onProgress?: (progress: SessionUpdateProgress) => void;
}

/** Progress of an update. */
export interface SessionUpdateProgress {
  readonly sessions: number;
  readonly sessionsRead: number;
  readonly recordsRead: number;
}

/** Session that could not be read to its end, with the reason. */
export interface SessionProblem {
  readonly session: string;
  readonly reason: string;
}

/** Result of an update. */
export interface SessionsUpdated {
  /** Number of sessions that had to be read. */
  readonly sessionsRead: number;
  readonly recordsRead: number;
  /** Number of deleted sessions whose rows were removed. */
  readonly removed: number;
  readonly problems: readonly SessionProblem[];
}

/**
 * Rows of the sessions of a store, and sums of them. The sums are those of the commands `cost` and `cache` for the same
 * sessions, as of the last update. Close it after use.
 *
 * Each function throws an `AnalyticsError` if the database cannot be read or written.
 */
export interface SessionProjection {
  /**
   * Reads the records that are new. A session that cannot be read is reported and keeps its rows, and the others are
   * updated.
   */
  update(options?: SessionUpdateOptions): Promise<SessionsUpdated>;
  /** Removes all rows and reads all sessions again. */
  rebuild(options?: Omit<SessionUpdateOptions, 'sessions'>): Promise<SessionsUpdated>;
  /** Sums up the use of the cache. */
  cacheEffectiveness(filter: CallFilter, by?: CallGrouping): Promise<Grouped<CacheSums>>;
  /** Sums up the cost. */
  cost(filter: CallFilter, by?: CallGrouping): Promise<Grouped<CostSums>>;
  /** Sums up the breaks. */
  breaks(filter: CallFilter, by?: CallGrouping): Promise<Grouped<BreakSums>>;
  /** Lists breaks, latest first. */
  listBreaks(query: BreakQuery): Promise<BreakPage>;
  /** Returns the use of each skill, the largest sum of tokens first. `model` and `provider` have no effect. */
  skills(filter: CallFilter): Promise<readonly SkillReport[]>;
  /** Returns calls of a session from a position on. `limit` is 100 by default, and at most 1000. */
  calls(session: string, page?: { readonly from?: number; readonly limit?: number }): Promise<CallPage>;
  /** Lists sessions, latest change first. */
  sessions(query: SessionQuery): Promise<SessionListPage>;
  /** Adds the texts of all records in the rows to the index of the search. Only new records are read. */
  updateTexts(options?: Omit<SessionUpdateOptions, 'sessions'>): Promise<void>;
  /** Finds records by their texts, as of the last `updateTexts`. A search without a word finds nothing. */
  search(query: TextQuery): Promise<FoundSessions>;
  close(): Promise<void>;
}
