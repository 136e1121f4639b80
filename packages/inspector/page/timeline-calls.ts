// Calls of one stream of a timeline: their values, breaks, epochs and pauses.

import type { components } from '@tidemark/client';
import { causeText } from './cause-text.ts';
import { billionths, count, counted, duration, time } from './format.ts';

type Timeline = components['schemas']['Timeline'];

/** Ways to measure a bar. */
export type BarScale = 'tokens' | 'cost';

/** One call of the timeline. Amounts are billionths of a US dollar. `null` means unknown. */
export interface TimelineCall {
  /** Place of the call in its stream, from 0 on. */
  readonly place: number;
  readonly step: number;
  readonly answer: number;
  readonly request: number | null;
  /** Milliseconds from the first call of the session. */
  readonly at: number;
  readonly duration: number | null;
  readonly model: string;
  /** Number of the epoch in the stream, from 1 on. */
  readonly epoch: number;
  /** Causes of the epoch that the call opened. */
  readonly opened: string | null;
  readonly cause: string | null;
  /** True if the call paid tokens again, or opened an epoch after the first. */
  readonly isBreak: boolean;
  readonly tokens: BucketTokens;
  /** Forecast tokens of the input. */
  readonly forecast: Pick<BucketTokens, 'read' | 'written' | 'fresh'> | null;
  readonly forecastCost: number | null;
  readonly paid: number | null;
  readonly again: number;
  readonly lost: number | null;
  /** Milliseconds between the end of the call before and this call. */
  readonly pause: number;
}

/** Tokens of one call by part. */
export interface BucketTokens {
  readonly read: number;
  readonly written: number;
  readonly fresh: number;
  readonly untold: number;
  readonly output: number;
}

/** Calls of one stream. */
export interface StreamTimeline {
  readonly begins: string;
  readonly calls: readonly TimelineCall[];
  /** Places of the breaks. */
  readonly breaks: readonly number[];
  /** Largest value of a bar for each scale. */
  readonly largest: Readonly<Record<BarScale, number>>;
}

/** Returns the calls of a stream. */
export function streamTimeline(timeline: Timeline, stream: number): StreamTimeline {
  const calls: TimelineCall[] = [];
  timeline.columns.stream.forEach((one, index) => {
    if (one === stream) calls.push(callAt(timeline, index, calls.at(-1)));
  });
  const largest = { tokens: 1, cost: 1 };
  for (const call of calls) {
    largest.tokens = Math.max(largest.tokens, sumOf(call.tokens));
    largest.cost = Math.max(largest.cost, call.paid ?? 0, call.forecastCost ?? 0);
  }
  const breaks = calls.flatMap(({ isBreak, place }) => (isBreak ? [place] : []));
  return { begins: timeline.begins, calls, breaks, largest };
}

/** Returns all tokens of a call. */
export function sumOf({ read, written, fresh, untold, output }: BucketTokens): number {
  return read + written + fresh + untold + output;
}

function callAt({ columns, models, causes }: Timeline, index: number, before: TimelineCall | undefined): TimelineCall {
  const value = <Value>(column: readonly Value[]): Value => {
    const found = column[index];
    if (found === undefined) throw new RangeError(`the timeline has no call ${index}`);
    return found;
  };
  const named = (cause: number | null): string | null => (cause === null ? null : (causes[cause] ?? null));
  const [answer, distance] = [value(columns.answer), value(columns.requestBefore)];
  const [opened, cause] = [named(value(columns.opened)), named(value(columns.cause))];
  const [read, written, fresh] = [value(columns.read), value(columns.written), value(columns.fresh)];
  const [readOff, writtenOff, freshOff] = [value(columns.readOff), value(columns.writtenOff), value(columns.freshOff)];
  const at = value(columns.at);
  return {
    place: before === undefined ? 0 : before.place + 1,
    step: value(columns.step),
    answer,
    request: distance === null ? null : answer - distance,
    at,
    duration: value(columns.duration),
    model: models[value(columns.model)] ?? '',
    epoch: before === undefined ? 1 : before.epoch + (opened === null ? 0 : 1),
    opened,
    cause,
    isBreak: cause !== null || (opened !== null && !opened.split(' + ').includes('initial')),
    tokens: { read, written, fresh, untold: value(columns.untold), output: value(columns.output) },
    forecast:
      readOff === null || writtenOff === null || freshOff === null
        ? null
        : { read: read + readOff, written: written + writtenOff, fresh: fresh + freshOff },
    forecastCost: value(columns.forecastCost),
    paid: value(columns.paid),
    again: value(columns.again),
    lost: value(columns.lost),
    pause: before === undefined ? 0 : Math.max(0, at - before.at - (before.duration ?? 0)),
  };
}

/** Returns the reason and the price of a break in words. Empty for other calls. */
export function breakText({ isBreak, opened, cause, again, lost }: TimelineCall): string {
  if (!isBreak) return '';
  if (cause === null) return `New epoch: ${causeText(opened ?? '')}. No token was paid again.`;
  const price = lost === null ? 'at an unknown additional cost' : `for ${billionths(lost)} more than reading them`;
  const also = opened === null || opened === cause ? '' : ` New epoch: ${causeText(opened)}.`;
  return `Miss: ${causeText(cause)}. ${counted(again, 'token')} paid again, ${price}.${also}`;
}

/** Returns the name of the cause of a break with its price, for the small space of a mark. */
export function markText({ opened, cause, lost }: TimelineCall): string {
  if (cause === null) return opened ?? '';
  return `${cause}, ${lost === null ? 'price unknown' : billionths(lost)}`;
}

/** Names the records of a call. A call that was cut off, or that still runs, has no record of its end. */
export function recordsText({ request, answer }: Pick<TimelineCall, 'request' | 'answer'>): string {
  if (request === null) return `no request, answer ${answer}`;
  return request === answer ? `request ${request}, no answer recorded` : `request ${request}, answer ${answer}`;
}

/** Describes a call in one line for a person who does not see the chart. */
export function callText(call: TimelineCall, begins: string): string {
  const { read, written, fresh, untold, output } = call.tokens;
  const parts = [
    `Step ${call.step} at ${time(timeOf(call, begins), true)}`,
    sumOf(call.tokens) === 0
      ? 'tokens unknown'
      : `${count(read)} read, ${count(written)} written, ${count(fresh)} fresh, ${count(output)} output`,
    ...(untold > 0 ? [`${count(untold)} input tokens of an unknown part`] : []),
    `cost ${billionths(call.paid)}`,
    ...(isLongPause(call) ? [pauseText(call)] : []),
    ...(call.isBreak ? [breakText(call)] : []),
  ];
  return parts.join('; ');
}

/** Returns the time at which a call was sent. */
export function timeOf({ at }: TimelineCall, begins: string): string {
  return new Date(Date.parse(begins) + at).toISOString();
}

/** Shortest pause that is shown, in milliseconds. */
const LONG_PAUSE = 60_000;

/** Returns true for a pause before a call that is worth a mark. */
export function isLongPause({ pause }: TimelineCall): boolean {
  return pause >= LONG_PAUSE;
}

/** Describes the pause before a call: `12 min pause, the cache expired`. */
export function pauseText(call: TimelineCall): string {
  return `${duration(call.pause)} pause${isExpired(call) ? ', the cache entry expired' : ''}`;
}

/** Returns true if the cache entry expired before a call. */
export function isExpired({ cause }: TimelineCall): boolean {
  return cause?.split(' + ').includes('expired') === true;
}

/** Returns the place of the next break in a direction. After the last break comes the first. */
export function nextBreak({ breaks }: StreamTimeline, place: number, direction: 1 | -1): number {
  const found = direction === 1 ? breaks.find((one) => one > place) : breaks.findLast((one) => one < place);
  return found ?? (direction === 1 ? breaks[0] : breaks.at(-1)) ?? place;
}
