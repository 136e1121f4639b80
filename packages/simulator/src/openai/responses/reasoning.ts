// Checks reasoning that a client sends back because the service does not store it (provider-facts §2.4). The simulator
// sends reasoning in encrypted form. The client must send it back unchanged, directly before the item that followed it
// in the answer. The error texts and codes are those of the real service, as its clients report them.

import { isPresent, isList, isObject, textOf } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import type { PromptItem } from '../format/prompt.ts';
import { bad, refuseOpenAI } from '../format/refusal.ts';
import { firstRefusal } from '../../core/refusal.ts';
import type { OpenAIRefusal } from '../format/refusal.ts';

/** Reasoning item as the simulator issued it. */
export interface SealedReasoning {
  /** Item id: `rs_…`. */
  readonly id: string;
  /** Value of `encrypted_content`, even if the response did not contain it. */
  readonly content: string;
  readonly summary: string;
  readonly account: string;
  readonly model: string;
  /** True if the service itself stores the reasoning item, because the request set `store`. */
  readonly stored: boolean;
  /**
   * Item that followed the reasoning in the answer. `undefined` if the answer ended with the reasoning, for example
   * because it was cut.
   */
  readonly follower: WireObject | undefined;
}

/** Store of the reasoning items that this simulator issued. */
export interface Seals {
  issue(sealed: SealedReasoning): void;
  byContent(content: string): SealedReasoning | undefined;
  byId(id: string): SealedReasoning | undefined;
  /** Returns the reasoning that was issued directly before the item with this id, or `undefined`. */
  leaderOf(id: string): SealedReasoning | undefined;
}

/** Creates an empty set of issued reasoning. The set keeps the latest 100,000 items. */
export function createSeals(): Seals {
  const contents = new Map<string, SealedReasoning>();
  const ids = new Map<string, SealedReasoning>();
  const leaders = new Map<string, SealedReasoning>();
  return {
    issue(sealed) {
      keep(contents, sealed.content, sealed);
      keep(ids, sealed.id, sealed);
      if (sealed.follower !== undefined) keep(leaders, textOf(sealed.follower['id']), sealed);
    },
    byContent: (content) => contents.get(content),
    byId: (id) => ids.get(id),
    leaderOf: (id) => leaders.get(id),
  };
}

const MAX_SEALS = 100_000;

function keep(seals: Map<string, SealedReasoning>, key: string, sealed: SealedReasoning): void {
  seals.set(key, sealed);
  const oldest = seals.size > MAX_SEALS ? seals.keys().next().value : undefined;
  if (oldest !== undefined) seals.delete(oldest);
}

/**
 * Values that `checkReasoning` needs in addition to the items: the issued reasoning, and the account and model of the
 * request.
 */
export interface SealContext {
  readonly seals: Seals;
  readonly account: string;
  readonly model: string;
  /** True if unknown encrypted content counts as issued, because recordings contain content of the real service. */
  readonly recorded: boolean;
}

/**
 * Refuses a reasoning item that was changed, that is separated from the item that followed it, or that belongs to
 * another account or model. Also refuses an item that is sent back without the reasoning that was issued before it.
 */
export function checkReasoning(items: readonly PromptItem[], context: SealContext): OpenAIRefusal | undefined {
  return firstRefusal(items.entries(), ([i, item]) => {
    if (item.type === 'reasoning') return checkSealed(item, items[i + 1], context);
    return checkLeader(item, items[i - 1], context);
  });
}

function checkSealed(item: PromptItem, next: PromptItem | undefined, context: SealContext): OpenAIRefusal | undefined {
  const { id, encrypted_content: content } = item.fields;
  const sealed = isPresent(content) ? context.seals.byContent(textOf(content)) : context.seals.byId(textOf(id));
  if (!isPresent(content) && sealed?.stored !== true) return notPersisted(textOf(id));
  if (sealed === undefined)
    return context.recorded ? checkAnyFollower(item, next) : refuseUnverified(textOf(content), NOT_PARSED);
  if (sealed.account !== context.account) return refuseUnverified(sealed.content, OTHER_ORGANIZATION);
  // The documentation does not state if the real service accepts the reasoning of another model. The simulator refuses
  // such reasoning (strict reading, inferred [I]).
  if (sealed.model !== context.model) return refuseUnverified(sealed.content, NOT_PARSED);
  if (hasChanged(item.fields, sealed)) return refuseUnverified(sealed.content, NOT_PARSED);
  return sealed.follower !== undefined && isSame(sealed.follower, next) ? undefined : refuseOrphan(sealed.id);
}

const NOT_PARSED = 'Encrypted content could not be decrypted or parsed.';
const OTHER_ORGANIZATION = 'Encrypted content organization_id did not match the target organization.';

/** A client may omit the id of a reasoning item, but must not change it. */
function hasChanged(fields: WireObject, sealed: SealedReasoning): boolean {
  const renamed = isPresent(fields['id']) && fields['id'] !== sealed.id;
  return renamed || summaryOf(fields) !== sealed.summary;
}

/** Returns all summary texts of a reasoning item, joined by line breaks. */
export function summaryOf(fields: WireObject): string {
  const parts = isList(fields['summary']) ? fields['summary'] : [];
  return parts.map((part) => (isObject(part) ? textOf(part['text']) : '')).join('\n');
}

function checkAnyFollower(item: PromptItem, next: PromptItem | undefined): OpenAIRefusal | undefined {
  return next?.speaker === 'assistant' ? undefined : refuseOrphan(textOf(item.fields['id']));
}

/**
 * True if `next` is the item that followed the reasoning. The types must be equal. Calls are compared by `call_id`. The
 * documentation does not state if the real service compares `call_id` (strict reading, inferred [I]). Other items are
 * compared by id, and a client may omit this id.
 */
function isSame(follower: WireObject, next: PromptItem | undefined): boolean {
  if (next?.speaker !== 'assistant' || next.type !== follower['type']) return false;
  if (next.type === 'function_call') return next.fields['call_id'] === follower['call_id'];
  return !isPresent(next.fields['id']) || next.fields['id'] === follower['id'];
}

function checkLeader(
  item: PromptItem,
  before: PromptItem | undefined,
  context: SealContext,
): OpenAIRefusal | undefined {
  const leader = context.seals.leaderOf(textOf(item.fields['id']));
  if (leader === undefined || isLeader(leader, before)) return undefined;
  const { id } = item.fields;
  return bad(
    `Item '${textOf(id)}' of type '${item.type}' was provided without its required 'reasoning' item: '${leader.id}'.`,
    'input',
  );
}

function isLeader(leader: SealedReasoning, before: PromptItem | undefined): boolean {
  if (before?.type !== 'reasoning') return false;
  return before.fields['id'] === leader.id || before.fields['encrypted_content'] === leader.content;
}

function refuseOrphan(id: string): OpenAIRefusal {
  return bad(`Item '${id}' of type 'reasoning' was provided without its required following item.`, 'input');
}

function refuseUnverified(content: string, reason: string): OpenAIRefusal {
  const shown = `${content.slice(0, 4)}...${content.slice(-4)}`;
  const text = `The encrypted content ${shown} could not be verified. Reason: ${reason}`;
  return bad(text, null, 'invalid_encrypted_content');
}

function notPersisted(id: string): OpenAIRefusal {
  const text = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
  return refuseOpenAI(404, text, { param: 'input' });
}
