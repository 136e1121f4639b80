// Reads the bytes of a Responses call. Returns the request, or the refusal that the real service sends.

import { isPresent, isList, objectAt, textOf, isObject } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import { cacheRulesOf, addBlock } from '../format/prompt.ts';
import { checkItems, itemType } from '../format/check-items.ts';
import { wrongType, bad, missingParameter, refuseOpenAI, wrongValue } from '../format/refusal.ts';
import { firstRefusal } from '../../core/refusal.ts';
import { checkPairs, addTools, readItems } from '../format/read-items.ts';
import type { PromptBlocks, OpenAIRequest, PromptItem } from '../format/prompt.ts';
import { readBody, settingsOf } from '../format/read-body.ts';
import type { FindRow, ReadBody } from '../format/read-body.ts';
import { checkReasoning } from './reasoning.ts';
import type { Seals } from './reasoning.ts';
import type { OpenAIRefusal } from '../format/refusal.ts';
import type { Capabilities } from '@tidemark/model';
import { checkTools } from '../format/tools.ts';

/**
 * Values that `readResponses` needs in addition to the body: endpoint, account, catalog, earlier responses and issued
 * reasoning.
 */
export interface ReadingResponses {
  readonly purpose: 'responses' | 'count';
  readonly account: string;
  readonly find: FindRow;
  /**
   * Returns the items of an earlier response and of all responses before it in the conversation, or `undefined` if the
   * response is unknown.
   */
  readonly earlier: (id: string) => readonly unknown[] | undefined;
  /** Returns the item with this id of a stored response, or `undefined`. */
  readonly item: (id: string) => unknown;
  readonly seals: Seals;
  readonly recorded: boolean;
}

/**
 * Parsed Responses request: the fields common to all endpoints, and the fields that exist only in the Responses API.
 */
export interface ResponsesRequest extends OpenAIRequest {
  /** Items in the body of this call, without the items of earlier responses. */
  readonly input: readonly unknown[];
  /** Items of the earlier responses that this call continues. */
  readonly earlier: readonly unknown[];
  readonly previous: string | undefined;
  readonly store: boolean;
}

/** Reads a whole Responses body. Returns the parsed request, or a refusal if the body is not valid. */
export function readResponses(body: Uint8Array, reading: ReadingResponses): ResponsesRequest | OpenAIRefusal {
  const read = readBody(body, reading.purpose, reading.find);
  if ('outcome' in read) return read;
  const { fields, capabilities } = read;
  const sent = inputOf(fields['input']);
  if (sent === undefined) return wrongType('input', 'one of a string or array of objects', fields['input']);
  const input = sent.map((item) => referredItem(item, reading));
  const wrong =
    checkItems(sent) ?? checkReferences(sent, input) ?? checkWhole(fields) ?? checkChanges(input, capabilities.appends);
  if (wrong !== undefined) return wrong;
  const previous = textOf(fields['previous_response_id']);
  const earlier = previous === '' ? [] : reading.earlier(previous);
  if (earlier === undefined) return lostParent(previous);
  const list: PromptBlocks = { images: capabilities.images, blocks: [] };
  addFront(fields, list);
  const items = [...readItems(earlier, list), ...readItems(input, list)];
  const model = textOf(fields['model']);
  return (
    checkBetween(items, reading, capabilities.model) ?? {
      ...common(read, list, items),
      model,
      input,
      earlier,
      previous: previous || undefined,
      store: fields['store'] !== false,
    }
  );
}

function checkBetween(
  items: readonly PromptItem[],
  reading: ReadingResponses,
  model: string,
): OpenAIRefusal | undefined {
  return checkPairs(items) ?? checkReasoning(items, { ...reading, model });
}

function common(
  { fields, capabilities }: ReadBody,
  { blocks }: PromptBlocks,
  items: readonly PromptItem[],
): Omit<OpenAIRequest, 'model'> {
  const most = fields['max_output_tokens'];
  return {
    wire: 'responses',
    capabilities,
    rules: cacheRulesOf(capabilities),
    fields,
    blocks,
    items,
    settings: settingsOf(fields, 'responses'),
    key: textOf(fields['prompt_cache_key']),
    stream: fields['stream'] === true,
    prewarm: objectAt(fields, 'prompt_cache_options')['prewarm'] === true,
    maxTokens: typeof most === 'number' ? most : undefined,
    stopSequences: [],
  };
}

/**
 * A string becomes one user message. If `input` is absent, the list is empty, because the call only continues a stored
 * response. Returns `undefined` if `input` has the wrong type.
 */
function inputOf(input: unknown): readonly unknown[] | undefined {
  if (!isPresent(input)) return [];
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return isList(input) ? input : undefined;
}

/**
 * If an item is a reference, returns the stored item, or `undefined` if there is none. Any other item is returned
 * unchanged.
 */
function referredItem(item: unknown, { item: find }: ReadingResponses): unknown {
  return isReference(item) ? find(textOf(item['id'])) : item;
}

function isReference(item: unknown): item is WireObject {
  return isObject(item) && itemType(item) === 'item_reference';
}

/** The text is that of the service, also for an item that was never stored. */
function checkReferences(sent: readonly unknown[], found: readonly unknown[]): OpenAIRefusal | undefined {
  const lost = sent[found.indexOf(undefined)];
  if (!isReference(lost)) return undefined;
  const text = `Item with id '${textOf(lost['id'])}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
  return refuseOpenAI(404, text, { param: 'input' });
}

function checkWhole(fields: WireObject): OpenAIRefusal | undefined {
  if (isPresent(fields['conversation']) && isPresent(fields['previous_response_id'])) {
    return bad(
      "Mutually exclusive parameters: 'conversation' and 'previous_response_id'. Ensure you are only providing one of these.",
      null,
      'mutually_exclusive_parameters',
    );
  }
  const missing = (['conversation', 'prompt'] as const).find((name) => isPresent(fields[name]));
  if (missing === undefined) return undefined;
  return bad(`simulator: '${missing}' is not simulated. Send the items themselves.`, missing);
}

function lostParent(id: string): OpenAIRefusal {
  return bad(`Previous response with id '${id}' not found.`, 'previous_response_id', 'previous_response_not_found');
}

/** Instructions cannot have a mark (provider-facts §2.2). */
function addFront(fields: WireObject, list: PromptBlocks): void {
  addTools(fields, list);
  const { instructions } = fields;
  if (typeof instructions !== 'string' || instructions === '') return;
  addBlock(list, { kind: 'text', speaker: 'developer', text: instructions, mark: undefined });
}

// Checks items that change the effort or add tools within the history (provider-facts §2.2). Such a change applies from
// its place on. The catalog row lists the changes that a model accepts.

function checkChanges(input: readonly unknown[], appends: Capabilities['appends']): OpenAIRefusal | undefined {
  const types = input.map((item) => (isObject(item) ? itemType(item) : ''));
  return firstRefusal(types.entries(), ([i, type]) => {
    const path = `input[${i}]`;
    if (type === 'configuration_update') return checkUpdate(path, types[i - 1], appends);
    return type === 'additional_tools' ? checkAddition(input[i], path, appends) : undefined;
  });
}

function checkUpdate(
  path: string,
  before: string | undefined,
  appends: Capabilities['appends'],
): OpenAIRefusal | undefined {
  if (!appends.includes('reasoning')) return refuseUnsupported('configuration_update', path);
  if (before !== 'configuration_update') return undefined;
  return bad("Consecutive 'configuration_update' items are not allowed.", 'input');
}

function checkAddition(item: unknown, path: string, appends: Capabilities['appends']): OpenAIRefusal | undefined {
  if (!appends.includes('tool-additions')) return refuseUnsupported('additional_tools', path);
  const { role, tools } = isObject(item) ? item : {};
  if (role !== 'developer') return wrongValue(`${path}.role`, String(role), ['developer']);
  if (!isList(tools)) return missingParameter(`${path}.tools`);
  return checkTools({ tools }, 'responses', `${path}.tools`);
}

function refuseUnsupported(type: string, path: string): OpenAIRefusal {
  return bad(`Unsupported value: '${type}' is not supported with this model.`, `${path}.type`, 'unsupported_value');
}
