// Parts of the status line: the texts, and the choice of the parts that fit into one row.

import type { NextCallPrice } from '@tidemark/kit';
import stringWidth from 'string-width';

import { dollars, formatCount } from '../../frame/numbers.ts';
import type { Shown } from '../../frame/shown.ts';
import { render, withStyle } from '../../frame/shown.ts';
import { duration } from '../../present/tool-line.ts';
import type { StatusFacts } from '../state/status-facts.ts';
import { priceOfNext } from '../state/status-facts.ts';
import type { TerminalState } from '../state/terminal-state.ts';

/** State from which the status line is made. */
export type StatusView = Pick<TerminalState, 'status' | 'mode' | 'running' | 'stopping' | 'readOnly'> & {
  /** Number of prompts that wait for the end of the turn. */
  readonly queued: number;
  /** Milliseconds since the turn was sent, and the length of the text that has arrived of the current answer. */
  readonly work?: { readonly ms: number; readonly characters: number } | undefined;
  /** True while the turn waits for the answer to a question on the screen. */
  readonly asks?: boolean;
};

/**
 * A part of the status line: its texts, the longest first. In a narrow row, the text with the lowest rank of all parts
 * is replaced by the next one of its part. After the last text, the part is dropped.
 */
type StatusPart = readonly { readonly rank: number; readonly text: Shown }[];

const SEPARATOR = ' · ';

/**
 * Returns the status line: the parts that fit into the columns, in a fixed order. If they do not fit, the least
 * important texts are shortened or dropped first. `now` is in milliseconds since 1970.
 */
export function statusParts(view: StatusView, columns: number, now: number): Shown {
  let parts = partsOf(view, now);
  for (;;) {
    const line = parts.flatMap(([first], index) => [
      ...(index === 0 ? [] : [withStyle('dim', SEPARATOR)]),
      first?.text ?? '',
    ]);
    if (stringWidth(render(line, false)) <= columns || parts.length === 0) return line;
    parts = narrowed(parts);
  }
}

function narrowed(parts: readonly StatusPart[]): readonly StatusPart[] {
  const [least] = parts.toSorted((a, b) => (a[0]?.rank ?? 0) - (b[0]?.rank ?? 0));
  return parts.map((part) => (part === least ? part.slice(1) : part)).filter((part) => part.length > 0);
}

function partsOf(view: StatusView, now: number): readonly StatusPart[] {
  const { status, mode, running, readOnly, queued } = view;
  const { hitRate, subagents, processes, branch } = status;
  return [
    [{ rank: 10, text: modeText(mode, readOnly) }],
    modelPart(status),
    gaugePart(status),
    hitRate === undefined ? [] : [{ rank: 2.5, text: `hit ${Math.floor(100 * hitRate)}%` }],
    costPart(status),
    running ? workPart(view) : nextPart(status, now),
    running ? [] : expiryPart(status, now),
    subagents === 0 ? [] : [{ rank: 4, text: formatCount(subagents, 'subagent') }],
    processes === 0 ? [] : [{ rank: 4.5, text: processes === 1 ? '1 process' : `${processes} processes` }],
    queued === 0 ? [] : [{ rank: 5.5, text: `${queued} queued` }],
    branch === undefined ? [] : [{ rank: 2, text: shortened(branch) }],
  ].filter((part) => part.length > 0);
}

/** Characters of a token, roughly. The provider reports the exact number at the end of the answer. */
const TOKEN_CHARACTERS = 4;

/** Parts instead of `working` while a question is on the screen: then nothing happens until the user answers. */
const ASKS: StatusPart = [
  { rank: 7, text: withStyle('yellow', 'waits for your answer') },
  { rank: 9, text: withStyle('yellow', 'waits') },
];

function workPart({ stopping, work, asks = false }: StatusView): StatusPart {
  const seconds = Math.floor((work?.ms ?? 0) / SECOND);
  const time = seconds === 0 ? '' : ` ${seconds < 60 ? `${seconds} s` : duration(seconds * SECOND)}`;
  if (stopping) return [{ rank: 9, text: `stopping${time}` }];
  if (asks) return ASKS;
  const tokens = Math.round((work?.characters ?? 0) / TOKEN_CHARACTERS);
  const received = tokens === 0 ? '' : `, about ${formatCount(tokens, 'token')}`;
  return [
    { rank: 2.2, text: `working${time}${received}, esc interrupt` },
    { rank: 7, text: `working${time}, esc interrupt` },
    { rank: 8.5, text: `working${time}` },
    { rank: 9, text: 'working' },
  ];
}

function modeText(mode: StatusView['mode'], readOnly: boolean): Shown {
  if (readOnly) return withStyle('yellow', 'open elsewhere');
  return mode === 'plan' ? withStyle('cyan', '◇ plan') : mode;
}

function modelPart({ model, effort }: StatusFacts): StatusPart {
  if (model === undefined) return [];
  const short = model.replace(/^claude-/, '');
  const level = effort === undefined ? '' : ` ${effort}`;
  return [
    { rank: 1, text: `${model}${level}` },
    { rank: 3.5, text: `${short}${level}` },
    { rank: 5, text: short },
  ];
}

/** Longest branch name that is shown whole. */
const MAX_BRANCH = 24;

function shortened(branch: string): string {
  return branch.length <= MAX_BRANCH ? branch : `${branch.slice(0, MAX_BRANCH - 1)}…`;
}

/** The cost is a lower bound if a part of it is unknown, also before any part of it is known. */
function costPart({ cost, costsMore }: StatusFacts): StatusPart {
  if (costsMore === true) return [{ rank: 6, text: `≥ ${dollars(cost ?? '0')}` }];
  return cost === undefined ? [] : [{ rank: 6, text: dollars(cost) }];
}

const BAR_CELLS = 5;

function gaugePart({ gauge }: StatusFacts): StatusPart {
  if (gauge?.ratio === undefined) return [];
  const { ratio, tier } = gauge;
  const full = Math.min(BAR_CELLS, Math.ceil(ratio * BAR_CELLS));
  const bar = `${'█'.repeat(full)}${'░'.repeat(BAR_CELLS - full)}`;
  const text = `${Math.floor(100 * ratio)}%${tier === 'calm' || tier === 'unknown' ? '' : ` ${tier}`}`;
  const style = tier === 'critical' ? 'red' : tier === 'warning' ? 'yellow' : undefined;
  const styled = (words: string): Shown => (style === undefined ? words : withStyle(style, words));
  return [
    { rank: 3, text: styled(`${bar} ${text}`) },
    { rank: 8, text: styled(text) },
  ];
}

function nextPart(facts: StatusFacts, now: number): StatusPart {
  const price = priceOfNext(facts, now);
  if (price?.cost === undefined) return [];
  const bound = price.caching === 'unknown' ? '≤ ' : '';
  const amount = `next ${bound}${dollars(price.cost)}`;
  const why = facts.next?.compacted === undefined ? whyAgain(price) : 'compacts first';
  if (why === undefined) return [{ rank: 9, text: amount }];
  return [
    { rank: 7, text: withStyle('yellow', `${amount} (${why})`) },
    { rank: 9, text: withStyle('yellow', `${amount}!`) },
  ];
}

/** Share of the input from which on tokens that are paid again are named. */
const NOTABLE = 0.1;

function whyAgain({ rewrite, tokens }: NextCallPrice): string | undefined {
  if (rewrite === undefined || rewrite.tokens < NOTABLE * (tokens.fresh + tokens.read + tokens.written))
    return undefined;
  if (rewrite.cause === 'expired') return 'cache expired';
  return `${Math.max(1, Math.round(rewrite.tokens / 1_000))}k again`;
}

function expiryPart({ next, warmUntil }: StatusFacts, now: number): StatusPart {
  if (next?.expires === undefined) return [];
  const expires = Date.parse(next.expires);
  if (now >= expires) return [];
  const text = `cache ${countdown(expires - now)}`;
  const warm = warmUntil !== undefined && warmUntil > expires;
  return [...(warm ? [{ rank: 1.5, text: `${text} (kept warm)` }] : []), { rank: 6.5, text }];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Pause between two texts of the countdown: a second in the last minute, ten seconds before, a minute above an hour. */
function stepOf(left: number): number {
  if (left <= MINUTE) return SECOND;
  return left <= 60 * MINUTE ? 10 * SECOND : MINUTE;
}

/** Formats the time until a cache entry expires: `4:10`, `0:42`, `1 h 5 min`. It is never more than the time left. */
export function countdown(left: number): string {
  const step = stepOf(left);
  const seconds = (Math.floor(left / step) * step) / SECOND;
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (left > 60 * MINUTE) return `${hours} h ${minutes} min`;
  return `${Math.floor(seconds / 60)}:${String(rest).padStart(2, '0')}`;
}

/**
 * Returns the milliseconds until the status line changes because time passes. Returns `undefined` if it does not change
 * any more.
 */
export function nextChange({ next }: StatusFacts, now: number): number | undefined {
  if (next?.expires === undefined) return undefined;
  const left = Date.parse(next.expires) - now;
  if (left <= 0) return undefined;
  const step = stepOf(left);
  // Between two multiples of the step, the text stays the same. It changes just below a multiple.
  const beyond = left % step;
  return Math.min(left, beyond + 1);
}
