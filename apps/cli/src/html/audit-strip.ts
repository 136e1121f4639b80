// Draws the calls of one session in their order: a bar of input tokens per call, and below it one line per group of
// causes with a mark at each call that paid again.

import type { AuditCall } from '@tidemark/analytics';

import { formatCount, formatNumber } from '../frame/numbers.ts';
import type { CauseGroupName } from './audit-colours.ts';
import { colourOf, groupsOf, swatch } from './audit-colours.ts';
import type { Markup } from './markup.ts';
import { markup, NOTHING } from './markup.ts';

/** Number of calls in one strip, and maximum number of strips of a session. */
const CALLS_PER_STRIP = 200;
const MAX_STRIPS = 6;

/** Number of calls that fit into the width at least, so that a bar is never very wide. */
const PLACES = 40;

/** Height of the bars and of one line of marks, in em. */
const BARS = 7;
const LINE = 1.3;

/** Pause between two calls that is marked, in milliseconds. It is the shorter lifetime of a cache entry. */
const PAUSE_MS = 300_000;

/** Call with its place in the session. */
interface PlacedCall {
  readonly call: AuditCall;
  /** Number of the call in the session, counted from 1. */
  readonly number: number;
  /** Time since the last call with counts, in milliseconds. Undefined if no earlier call has counts. */
  readonly pause: number | undefined;
}

/** Renders the calls of a session as strips. In a very long session only the strips that paid most again are drawn. */
export function stripsOf(calls: readonly AuditCall[]): Markup {
  if (calls.length === 0) return NOTHING;
  const placed = placeCalls(calls);
  const most = Math.max(1, ...calls.map(({ input }) => input));
  const all = Array.from({ length: Math.ceil(calls.length / CALLS_PER_STRIP) }, (_, index) =>
    placed.slice(index * CALLS_PER_STRIP, (index + 1) * CALLS_PER_STRIP),
  );
  const scale = { most, places: all.length > 1 ? CALLS_PER_STRIP : Math.max(PLACES, calls.length) };
  const shown = new Set(all.toSorted((a, b) => againIn(b) - againIn(a)).slice(0, MAX_STRIPS));
  const omitted = all.length - shown.size;
  const note =
    omitted === 0
      ? NOTHING
      : markup`<p class="soft">Drawn are the ${MAX_STRIPS} of ${all.length} parts of the session that paid most again.</p>`;
  return markup`${stripLegend(calls)}${all.filter((strip) => shown.has(strip)).map((strip) => drawStrip(strip, scale))}${note}`;
}

/** Returns the calls with their numbers. A pause begins at the last call with counts, because others may never have been answered. */
function placeCalls(calls: readonly AuditCall[]): readonly PlacedCall[] {
  let answered: AuditCall | undefined;
  return calls.map((call, index) => {
    const pause = answered && Date.parse(call.at) - Date.parse(answered.at);
    if (call.input > 0) answered = call;
    return { call, number: index + 1, pause };
  });
}

function againIn(strip: readonly PlacedCall[]): number {
  return strip.reduce((sum, { call }) => sum + call.again, 0);
}

function stripLegend(calls: readonly AuditCall[]): Markup {
  const causes = calls.flatMap(({ cause, again }) => (cause === undefined || again === 0 ? [] : [cause]));
  const again = groupsOf(causes).map(({ colour, name }) => markup`<li>${swatch(colour)}paid again: ${name}</li>`);
  return markup`<ul class="legend">
    <li>${swatch('read')}read from the cache</li>
    <li>${swatch('fresh')}new</li>
    ${again}
    <li><span class="dash" aria-hidden="true"></span>pause of 5 minutes or more</li>
  </ul> `;
}

/** Scale of all strips of a session: the tokens at the top of the bars, and the number of calls in the width. */
interface StripScale {
  readonly most: number;
  readonly places: number;
}

function drawStrip(strip: readonly PlacedCall[], { most, places }: StripScale): Markup {
  const causes = strip.flatMap(({ call: { cause, again } }) => (cause === undefined || again === 0 ? [] : [cause]));
  const groups = groupsOf(causes);
  const width = 100 / places;
  const [first, last] = [strip[0], strip.at(-1)];
  const label = `Calls ${first?.number} to ${last?.number} of the session, with at most ${formatNumber(most)} input tokens. ${formatNumber(againIn(strip))} tokens were paid again in ${formatCount(causes.length, 'call')}.`;
  return markup`<div class="strip">
    <div class="lanes" aria-hidden="true">
      <div><span>${formatNumber(most)} tokens</span></div>
      ${groups.map(({ short }) => markup`<div><span>${short}</span></div>`)}
    </div>
    <svg role="img" aria-label="${label}" width="100%" height="${(BARS + LINE * groups.length).toFixed(1)}em">
      <line class="grid" x2="100%"/>${strip.map((one, index) => drawCall(one, { index, width, most, groups }))}
      <line class="axis" x2="100%" y1="${BARS}em" y2="${BARS}em"/>
    </svg>
    <p class="soft">calls ${first?.number ?? 0} to ${last?.number ?? 0}, ${minuteOf(first)} to ${minuteOf(last)} (UTC)</p>
  </div> `;
}

function minuteOf(placed: PlacedCall | undefined): string {
  return placed?.call.at.slice(0, 16).replace('T', ' ') ?? '';
}

interface CallPlace {
  readonly index: number;
  /** Width of one call, in percent. */
  readonly width: number;
  /** Number of tokens at the top of the bars. */
  readonly most: number;
  readonly groups: readonly CauseGroupName[];
}

function drawCall(placed: PlacedCall, { index, width, most, groups }: CallPlace): Markup {
  const { call, pause } = placed;
  const place = `x="${(index * width).toFixed(2)}%" width="${width.toFixed(3)}%"`;
  const colour = call.cause === undefined || call.again === 0 ? undefined : colourOf(call.cause);
  let y = BARS;
  const bar = (name: string, tokens: number): string => {
    const height = (BARS * tokens) / most;
    if (height <= 0) return '';
    y = Math.max(0, y - height);
    return `<rect class="${name}" ${place} y="${y.toFixed(2)}em" height="${height.toFixed(2)}em"/>`;
  };
  const bars = bar('read', call.read) + bar('fresh', freshIn(call)) + bar(colour ?? 'fresh', call.again);
  const line = groups.findIndex((group) => group.colour === colour);
  const mark =
    colour === undefined || line === -1
      ? ''
      : `<rect class="${colour} mark" ${place} y="${(BARS + LINE * line + 0.25).toFixed(2)}em" height="0.9em"/>`;
  return markup`<g>
    <title>${callTitle(placed)}</title>
    <rect class="hover" ${{ html: place }} height="${BARS}em"/>${{ html: bars + mark + drawPause(pause, index * width) }}
  </g> `;
}

function drawPause(pause: number | undefined, x: number): string {
  if (pause === undefined || pause < PAUSE_MS) return '';
  const at = `${x.toFixed(2)}%`;
  return `<line class="rest" x1="${at}" x2="${at}" y2="${BARS}em"/>`;
}

/** Returns the tokens of a call that were neither read nor paid again. */
function freshIn({ input, read, again }: AuditCall): number {
  return Math.max(0, input - read - again);
}

function callTitle({ call, number, pause }: PlacedCall): string {
  const { at, model, input, read, written, again, cause } = call;
  const rest = pause === undefined || pause < PAUSE_MS ? '' : `\nafter a pause of ${pauseWords(pause)}`;
  const paidAgain = again === 0 ? '' : `\npaid again: ${formatNumber(again)} (${cause ?? 'unknown'})`;
  const head = `call ${number}, ${at.slice(0, 19).replace('T', ' ')}\n${model}`;
  if (input === 0) return `${head}\nwithout token counts`;
  return `${head}\ninput: ${formatNumber(input)} tokens\nread: ${formatNumber(read)}\nwritten: ${formatNumber(written)}${paidAgain}${rest}`;
}

/** Formats a pause: `12 minutes`, `3.5 hours`. */
export function pauseWords(pause: number): string {
  const minutes = pause / 60_000;
  return minutes < 90 ? formatCount(Math.round(minutes), 'minute') : `${(minutes / 60).toFixed(1)} hours`;
}

/** Number of calls in the list of a session. */
const LISTED = 12;

/** Renders the calls of a session that paid most again as a table, the largest first. */
export function lossesOf(calls: readonly AuditCall[]): Markup {
  const losses = placeCalls(calls)
    .filter(({ call }) => call.again > 0)
    .toSorted((a, b) => b.call.again - a.call.again);
  if (losses.length === 0) return NOTHING;
  const title =
    losses.length <= LISTED
      ? 'Calls that paid again, the largest first'
      : `${LISTED} of ${formatNumber(losses.length)} calls that paid again, the largest first`;
  return markup`<div class="scroll">
    <table class="losses">
      <caption>${title}</caption>
      <thead>
        <tr>
          <th scope="col">call</th>
          <th scope="col">time (UTC)</th>
          <th scope="col">after</th>
          <th scope="col">input</th>
          <th scope="col">paid again</th>
          <th scope="col" class="name">cause</th>
        </tr>
      </thead>
      <tbody>
        ${losses.slice(0, LISTED).map(lossRow)}
      </tbody>
    </table>
  </div> `;
}

function lossRow({ call: { at, input, again, cause = 'unknown' }, number, pause }: PlacedCall): Markup {
  return markup`<tr>
    <td>${number}</td>
    <td>${at.slice(0, 19).replace('T', ' ')}</td>
    <td>${pause === undefined ? '' : pause < 60_000 ? `${Math.round(pause / 1_000)} s` : pauseWords(pause)}</td>
    <td>${formatNumber(input)}</td>
    <td>${formatNumber(again)}</td>
    <td class="name">${swatch(colourOf(cause))}${cause}</td>
  </tr> `;
}
