// What a difference between what is wanted and what is in force asks for: nothing, a change appended behind what was sent
// where the model takes one, or a new epoch. Asked only when a request is prepared: what was changed and changed back is no
// difference.

import type { EpochCause, ReasoningChanged, RoleChanged, ToolRecord, ToolsChanged } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import type { RequestSpec } from './epoch.ts';
import { changedNames, epochCauses, isSameJson, roleOf } from './epoch.ts';
import { estimateTokens, sizeOfSpan } from '../base/estimate.ts';
import type { Epoch, History, State } from '../state/state.ts';

/** A change to be recorded in front of the request. */
export type Change =
  | { readonly kind: 'tools.changed'; readonly data: ToolsChanged }
  | { readonly kind: 'reasoning.changed'; readonly data: ReasoningChanged }
  | { readonly kind: 'role.changed'; readonly data: RoleChanged };

/** What the next request needs before it can be made. */
export type Need =
  | { readonly do: 'nothing' }
  | { readonly do: 'append'; readonly changes: readonly Change[] }
  | { readonly do: 'epoch'; readonly cause: EpochCause };

/** What settles one difference without an epoch: a change, or that it waits. `undefined` where nothing does. */
type SettledDifference = Change | 'waits' | undefined;

/**
 * Render parameters that an appended message can set, and lastingly: `effort` in a system message at Anthropic (docs,
 * build-with-claude/effort-per-message), `reasoning.effort` in a `configuration_update` at OpenAI (provider facts 2.2).
 */
const APPENDABLE: readonly string[] = ['effort', 'reasoning.effort'];

/**
 * What the next request needs, with a model that takes these changes appended by the row that is wanted. Requests are made by
 * the row that their epoch was opened with: where that is another one, a change opens an epoch, which takes the new row.
 */
export function neededChange(state: State, wanted: RequestSpec, given: Capabilities['appends']): Need {
  const { epoch, history } = state;
  if (epoch === undefined) return { do: 'epoch', cause: 'initial' };
  const appends = epoch.opened.capabilities === wanted.capabilities ? given : [];
  const changes: Change[] = [];
  for (const cause of epochCauses(state, wanted)) {
    const settled = settle(cause, { epoch, history, wanted, appends });
    if (settled === undefined) return { do: 'epoch', cause };
    if (settled !== 'waits') changes.push(settled);
  }
  return changes.length === 0 ? { do: 'nothing' } : { do: 'append', changes };
}

interface FrontDifference {
  readonly epoch: Epoch;
  readonly history: History;
  readonly wanted: RequestSpec;
  readonly appends: Capabilities['appends'];
}

function settle(cause: EpochCause, { epoch, history, wanted, appends }: FrontDifference): SettledDifference {
  switch (cause) {
    case 'tools':
      return settleTools(epoch, history, wanted, appends);
    case 'reasoning':
      return settleReasoning(epoch, history, wanted, appends);
    case 'role':
      return settleRole(history, wanted, appends);
    default:
      return undefined;
  }
}

/**
 * A system message inside the history stands where a change of tools does. It is carried next to the old text by every later
 * request, so a text that is longer than the history it would save from being written again goes into a new front.
 */
function settleRole(history: History, wanted: RequestSpec, appends: Capabilities['appends']): SettledDifference {
  if (!appends.includes('system')) return undefined;
  const role = roleOf(wanted);
  const text = role?.text.toWellFormed() ?? '';
  if (!isLongerThan(history, estimateTokens(text))) return undefined;
  if (endsWithAnswer(history)) return 'waits';
  return { kind: 'role.changed', data: { ...(role && { role: role.record.digest }), text, as: 'appended' } };
}

/** Whether a history has more tokens than so many. Looked at from its end, and no further than needed. */
function isLongerThan({ packed }: History, tokens: number): boolean {
  let left = tokens;
  for (let index = packed.length - 1; index >= 0 && left >= 0; index -= 1) {
    const span = itemAt(packed, index);
    if (span !== undefined) left -= sizeOfSpan(span).tokens;
  }
  return left < 0;
}

function settleTools(
  epoch: Epoch,
  history: History,
  wanted: RequestSpec,
  appends: Capabilities['appends'],
): SettledDifference {
  const tools = wanted.texts.tools.map(({ record }) => record);
  const { inForce } = epoch;
  const change = differenceOf(inForce.tools, tools);
  if (takesTools(epoch, change, appends)) return endsWithAnswer(history) ? 'waits' : appendTools(change);
  if (wanted.takeTools === 'now') return undefined;
  if (inForce.queued !== undefined && isSameJson(inForce.queued, tools)) return 'waits';
  // Fewer tools are no reason to pay: a call of one that is not there is answered so.
  if (wanted.takeTools === undefined && change.added.length > 0) return undefined;
  return { kind: 'tools.changed', data: { ...change, as: 'queued' } };
}

type ToolDifference = Pick<ToolsChanged, 'added' | 'removed'>;

function appendTools(change: ToolDifference): Change {
  return { kind: 'tools.changed', data: { ...change, as: 'appended' } };
}

function differenceOf(before: readonly ToolRecord[], after: readonly ToolRecord[]): ToolDifference {
  const held = new Map(before.map(({ name, digest }) => [name, digest]));
  const names = new Set(after.map(({ name }) => name));
  return {
    added: after.filter(({ name, digest }) => held.get(name) !== digest),
    removed: before.filter(({ name }) => !names.has(name)).map(({ name }) => name),
  };
}

/**
 * Whether the model takes this change appended. A front without a tool is no place to add one to: the first definition
 * behind it would change the beginning of what the provider renders (Anthropic's docs, mid-conversation system messages).
 */
function takesTools(
  { opened, inForce }: Epoch,
  { added, removed }: ToolDifference,
  appends: Capabilities['appends'],
): boolean {
  if (opened.tools.length === 0) return false;
  if (appends.includes('tools')) return true;
  const redefines = added.some(({ name }) => inForce.defined.has(name));
  return appends.includes('tool-additions') && removed.length === 0 && !redefines;
}

function settleReasoning(
  { inForce }: Epoch,
  history: History,
  wanted: RequestSpec,
  appends: Capabilities['appends'],
): SettledDifference {
  if (!appends.includes('reasoning')) return undefined;
  const [parameter, ...others] = changedNames(inForce.parameters, wanted.parameters);
  const setting = new Map(Object.entries(wanted.parameters)).get(parameter ?? '');
  if (parameter === undefined || others.length > 0 || !APPENDABLE.includes(parameter) || typeof setting !== 'string')
    return undefined;
  // Two updates with nothing between them are refused (OpenAI): the next request says what has become of it.
  if (endsWithAnswer(history) || endsWithLevel(history)) return 'waits';
  return { kind: 'reasoning.changed', data: { parameter, setting, as: 'appended', scope: 'lasting' } };
}

/** Behind an answer that goes on (a pause) no provider takes a change. */
function endsWithAnswer({ packed }: History): boolean {
  return itemAt(packed, -1)?.role === 'assistant';
}

function endsWithLevel({ packed }: History): boolean {
  return itemAt(packed, -1)?.parts.some((part) => part.type === 'change' && part.change === 'reasoning') === true;
}
