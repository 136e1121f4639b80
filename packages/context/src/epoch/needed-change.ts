// Compares the wanted request with the current epoch and decides which action the difference requires. There are three
// actions: nothing, a change that is appended to the history, or a new epoch. A change is appended only if the model
// accepts it. The decision is made only when a request is prepared. If a setting is changed and then changed back, it
// requires nothing.

import type { EpochCause, ReasoningChanged, RoleChanged, ToolRecord, ToolsChanged } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { itemAt } from '../base/append-only.ts';
import { RENDERING } from '../base/render.ts';
import type { RequestSpec } from './epoch.ts';
import { changedNames, epochCauses, isWordingOf, roleOf } from './epoch.ts';
import type { FrontTool } from '../front/front.ts';
import { estimateTokens, sizeOfSpan } from '../base/estimate.ts';
import type { Epoch, History, State } from '../state/state.ts';

/** Change that must be recorded before the request is built. */
export type Change =
  | { readonly kind: 'tools.changed'; readonly data: ToolsChanged }
  | { readonly kind: 'reasoning.changed'; readonly data: ReasoningChanged }
  | { readonly kind: 'role.changed'; readonly data: RoleChanged };

/**
 * Action that is necessary before the next request can be built: nothing, changes to append to the history, or a new
 * epoch.
 */
export type Need =
  | { readonly do: 'nothing' }
  | { readonly do: 'append'; readonly changes: readonly Change[] }
  | { readonly do: 'epoch'; readonly cause: EpochCause };

/**
 * Result of settling one difference without an epoch: a change to append, or `waits` if the difference remains for a
 * later request. `undefined` means that only an epoch settles the difference.
 */
type SettledDifference = Change | 'waits' | undefined;

/**
 * Render parameters that an appended message can set permanently: `effort` in a system message at Anthropic (docs,
 * build-with-claude/effort-per-message), `reasoning.effort` in a `configuration_update` at OpenAI (provider facts 2.2).
 */
const APPENDABLE: readonly string[] = ['effort', 'reasoning.effort'];

/**
 * Returns the action that is necessary before the next request. `given` lists the kinds of changes that the model
 * accepts as appended messages, as the wanted catalog row states. Requests are built with the row of their epoch. If
 * the wanted row differs from the epoch's row, any change opens an epoch. That epoch uses the wanted row.
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
 * Settles a change of the role. The new text is a system message in the history, at the same place as a change of
 * tools. Every later request contains the new text in addition to the old text. If the new text is longer than the
 * history, it goes into a new front, although the history must then be written again.
 */
function settleRole(history: History, wanted: RequestSpec, appends: Capabilities['appends']): SettledDifference {
  if (!appends.includes('system')) return undefined;
  const role = roleOf(wanted);
  const text = role?.text.toWellFormed() ?? '';
  if (!isLongerThan(history, estimateTokens(text))) return undefined;
  if (endsWithAnswer(history)) return 'waits';
  const digest = role && { role: role.record.digest };
  return { kind: 'role.changed', data: { ...digest, text, as: 'appended', rendering: RENDERING } };
}

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
  const { inForce } = epoch;
  const change = differenceOf(inForce.tools, wanted.texts.tools);
  if (takesTools(epoch, change, appends)) return endsWithAnswer(history) ? 'waits' : appendTools(change);
  if (wanted.takeTools === 'now') return undefined;
  if (inForce.queued !== undefined && isEmpty(differenceOf(inForce.queued, wanted.texts.tools))) return 'waits';
  // If tools were only removed, the cost of an epoch is not justified. If the model calls a removed tool, the call gets
  // an error result.
  const { takeTools, patientTools } = wanted;
  if (takeTools === undefined && change.added.some(({ name }) => patientTools?.has(name) !== true)) return undefined;
  return { kind: 'tools.changed', data: { ...change, as: 'queued' } };
}

type ToolDifference = Pick<ToolsChanged, 'added' | 'removed'>;

function appendTools(change: ToolDifference): Change {
  return { kind: 'tools.changed', data: { ...change, as: 'appended' } };
}

function isEmpty({ added, removed }: ToolDifference): boolean {
  return added.length === 0 && removed.length === 0;
}

function differenceOf(before: readonly ToolRecord[], after: readonly FrontTool[]): ToolDifference {
  const held = new Map(before.map((record) => [record.name, record]));
  const names = new Set(after.map(({ record }) => record.name));
  const isHeld = (tool: FrontTool): boolean => {
    const record = held.get(tool.record.name);
    return record !== undefined && isWordingOf(record, tool);
  };
  return {
    added: after.filter((tool) => !isHeld(tool)).map(({ record }) => record),
    removed: before.filter(({ name }) => !names.has(name)).map(({ name }) => name),
  };
}

/**
 * Checks that the model accepts this change as an appended message. A tool cannot be added to a front without tools.
 * The first definition after such a front would change the beginning of the text that the provider renders (Anthropic's
 * docs, mid-conversation system messages).
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
  // OpenAI refuses two updates without a message between them. The difference therefore waits. If it still exists
  // later, a later request appends it.
  if (endsWithAnswer(history) || endsWithLevel(history)) return 'waits';
  return { kind: 'reasoning.changed', data: { parameter, setting, as: 'appended', scope: 'lasting' } };
}

/** Checks that the history ends with an answer that continues (a pause). No provider accepts a change at that place. */
function endsWithAnswer({ packed }: History): boolean {
  return itemAt(packed, -1)?.role === 'assistant';
}

function endsWithLevel({ packed }: History): boolean {
  return itemAt(packed, -1)?.parts.some((part) => part.type === 'change' && part.change === 'reasoning') === true;
}
