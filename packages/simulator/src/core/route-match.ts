// Conditions of a route on a call. If a call does not meet a condition, the check returns the reason. So the refusal of
// a call without a route can list the reasons.

import { createContext, Script } from 'node:vm';
import type { ArrivalFacts, ReceivedRequest } from './received.ts';
import { isObject } from './wire.ts';

/**
 * Condition on a text. With a string, the text must contain it. With a list, the text must contain each string of the
 * list. `equals` is the whole text. `matches` is a JavaScript regular expression of at most 500 characters, with the
 * flags `i`, `m`, `s` and `u`. It is tested on the first 200,000 characters, for at most 250 ms.
 */
export type TextMatch =
  | string
  | readonly string[]
  | { readonly equals: string }
  | { readonly matches: string; readonly flags?: string };

/** Condition on the names of the offered tools. A list means `all`. */
export type ToolsMatch = readonly string[] | { readonly all?: readonly string[]; readonly none?: readonly string[] };

/** Conditions on a call. The call must meet every condition that is present. */
export interface RouteMatch {
  readonly wire?: ArrivalFacts['wire'];
  /** Model name. A `*` in it matches any characters. */
  readonly model?: string;
  /** Condition on the system prompt. */
  readonly system?: TextMatch;
  /** Condition on the text of the last user message that contains text. */
  readonly prompt?: TextMatch;
  /** Condition on the text of one of the tool results after the last answer. */
  readonly toolResult?: TextMatch;
  readonly tools?: ToolsMatch;
  /** Conditions on HTTP headers, by name. `null` means that the header is absent. */
  readonly header?: { readonly [name: string]: TextMatch | null };
  /** Number of the call in the run, counted from 1. */
  readonly call?: number;
  /**
   * Number of the call in this route, counted from 1. Only calls that reach this route and meet its other conditions
   * are counted.
   */
  readonly routeCall?: number;
  /** Custom condition. Not available in scenarios from a file. */
  readonly predicate?: (sent: ReceivedRequest) => boolean;
}

/** Longest regular expression of a condition, in characters. */
export const LONGEST_PATTERN = 500;

/** A call, with the values that the conditions check. `call` is its number in the run. */
export interface RoutedCall extends ArrivalFacts {
  readonly sent: ReceivedRequest;
  readonly call: number;
}

/**
 * Returns the first condition that a call does not meet, as a text for a refusal, or `undefined`. `routeCall` is not
 * checked here, because it counts the calls that meet all other conditions.
 */
export function whyNot(match: RouteMatch, routed: RoutedCall): string | undefined {
  const { sent, headers, wire, call } = routed;
  const { model, tools, header = {}, toolResult, predicate } = match;
  if (match.wire !== undefined && match.wire !== wire) return `wire is ${quote(wire)}, not ${quote(match.wire)}`;
  if (model !== undefined && !globMatches(model, sent.model))
    return `model is ${quote(sent.model)}, not ${quote(model)}`;
  if (match.call !== undefined && match.call !== call) return `call is number ${call} of the run, not ${match.call}`;
  const headerReason = firstReason(Object.entries(header), ([name, wanted]) => headerWhyNot(headers, name, wanted));
  return (
    headerReason ??
    (tools === undefined ? undefined : toolsWhyNot(tools, sent.tools)) ??
    textWhyNot('system', match.system, [sent.system]) ??
    textWhyNot('prompt', match.prompt, [sent.lastUserText]) ??
    textWhyNot(
      'toolResult',
      toolResult,
      sent.toolResults.map(({ text }) => text),
    ) ??
    (predicate === undefined || predicate(sent) ? undefined : 'predicate returned false')
  );
}

function firstReason<Item>(items: readonly Item[], check: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const reason = check(item);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** The value of a header is not part of the reason, because it can be a secret. */
function headerWhyNot(headers: ArrivalFacts['headers'], name: string, wanted: TextMatch | null): string | undefined {
  const key = name.toLowerCase();
  const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
  if (wanted === null) return value === undefined ? undefined : `header ${quote(name)} is present`;
  if (value === undefined) return `header ${quote(name)} is absent`;
  const reason = reasonOf(wanted, value);
  return reason === undefined ? undefined : `header ${quote(name)} ${reason}`;
}

function toolsWhyNot(tools: ToolsMatch, offered: readonly string[]): string | undefined {
  const { all = [], none = [] } = isNames(tools) ? { all: tools } : tools;
  const missing = all.filter((name) => !offered.includes(name));
  if (missing.length > 0) return `tools lack ${missing.map(quote).join(', ')}`;
  const present = none.filter((name) => offered.includes(name));
  return present.length > 0 ? `tools contain ${present.map(quote).join(', ')}` : undefined;
}

function isNames(value: ToolsMatch | TextMatch): value is readonly string[] {
  return Array.isArray(value);
}

/** At least one of the texts must meet the condition. */
function textWhyNot(field: string, wanted: TextMatch | undefined, texts: readonly string[]): string | undefined {
  if (wanted === undefined) return undefined;
  const reasons = texts.map((text) => reasonOf(wanted, text));
  if (reasons.includes(undefined)) return undefined;
  return `${field} ${reasons[0] ?? 'is absent'}`;
}

function reasonOf(wanted: TextMatch, text: string): string | undefined {
  if (typeof wanted === 'string' || isNames(wanted)) {
    const missing = [wanted].flat().find((part) => !text.includes(part));
    return missing === undefined ? undefined : `does not contain ${quote(missing)}`;
  }
  if ('equals' in wanted) return wanted.equals === text ? undefined : `is not ${quote(wanted.equals)}`;
  const found = testPattern(wanted.matches, wanted.flags ?? '', text);
  if (found === 'slow') return `took more than ${LONGEST_MS} ms to compare with /${wanted.matches}/`;
  return found ? undefined : `does not match /${wanted.matches}/`;
}

/**
 * Compares a name with a pattern. A `*` in the pattern matches any characters. The time is linear in the length of the
 * name.
 */
export function globMatches(pattern: string, name: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const end = others.pop();
  if (end === undefined) return pattern === name;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - end.length >= at && name.endsWith(end);
}

const LONGEST_MS = 250;
const MAX_TEXT = 200_000;

let sandbox: { pattern: string; flags: string; text: string } | undefined;
const TEST = new Script('new RegExp(pattern, flags).test(text)');

/** Tests a regular expression with a time limit, because a pattern can need exponential time. */
function testPattern(pattern: string, flags: string, text: string): boolean | 'slow' {
  sandbox ??= Object.assign(createContext(), { pattern: '', flags: '', text: '' });
  Object.assign(sandbox, { pattern, flags, text: text.slice(0, MAX_TEXT) });
  try {
    return TEST.runInContext(sandbox, { timeout: LONGEST_MS }) === true;
  } catch (error) {
    // The error can come from another realm, so `instanceof` does not recognise it.
    if (isObject(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'slow';
    throw error;
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}
