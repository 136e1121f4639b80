// Checks each item of `input` on its own: known types, parts that are allowed for the item's role, ids with the right
// prefix, and texts that are strings.

import { isPresent, isList, isObject, textOf } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import { missingParameter, tooLong, unknownParameter, wrongType, wrongValue, bad } from './refusal.ts';
import { firstRefusal } from '../../core/refusal.ts';
import type { OpenAIRefusal } from './refusal.ts';
import { imageType } from '../../core/tokens.ts';

const ROLES = ['assistant', 'system', 'developer', 'user'];

const SPOKEN = ['output_text', 'refusal'];

const SENT = ['input_text', 'input_image', 'input_file', 'input_audio'];

const LONGEST_CALL_ID = 64;

type ItemCheck = (item: WireObject, path: string) => OpenAIRefusal | undefined;

const CHECKS: { readonly [type: string]: ItemCheck } = {
  message: checkMessage,
  function_call: checkCall,
  custom_tool_call: checkCallId,
  function_call_output: checkOutput,
  custom_tool_call_output: checkOutput,
  reasoning: checkReasoning,
  item_reference: checkReference,
  configuration_update: (item, path) =>
    isObject(item['reasoning']) ? undefined : missingParameter(`${path}.reasoning`),
};

/** Item types of the service's own tools. They are accepted without a check. */
const NATIVE: ReadonlySet<string> = new Set([
  'file_search_call',
  'computer_call',
  'computer_call_output',
  'web_search_call',
  'tool_search_call',
  'tool_search_output',
  'additional_tools',
  'compaction',
  'image_generation_call',
  'code_interpreter_call',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'mcp_call',
  'program',
  'program_output',
]);

const ID_BEGINS: ReadonlyMap<string, string> = new Map(
  Object.entries({ message: 'msg', function_call: 'fc', reasoning: 'rs' }),
);

/**
 * Returns the type of an item. An item without a type is a message, or a reference if it has only an id (SDK:
 * `ItemReference`, whose type is optional).
 */
export function itemType(item: WireObject): string {
  if (isPresent(item['type'])) return textOf(item['type']);
  return isPresent(item['id']) && !isPresent(item['role']) && !('content' in item) ? 'item_reference' : 'message';
}

function checkReference({ id }: WireObject, path: string): OpenAIRefusal | undefined {
  if (id === undefined) return missingParameter(`${path}.id`);
  return typeof id === 'string' ? undefined : wrongType(`${path}.id`, 'a string', id);
}

/** Refuses the request at its first item that the real service would refuse. */
export function checkItems(items: readonly unknown[]): OpenAIRefusal | undefined {
  return firstRefusal(items.entries(), ([i, item]) => checkItem(item, `input[${i}]`));
}

function checkItem(item: unknown, path: string): OpenAIRefusal | undefined {
  if (!isObject(item)) return wrongType(path, 'an object', item);
  const type = itemType(item);
  const check = Object.hasOwn(CHECKS, type) ? CHECKS[type] : undefined;
  if (check !== undefined) return check(item, path) ?? checkId(item, type, path);
  if (NATIVE.has(type)) return undefined;
  return wrongValue(`${path}.type`, type, [...Object.keys(CHECKS), ...NATIVE]);
}

function checkId(item: WireObject, type: string, path: string): OpenAIRefusal | undefined {
  const { id } = item;
  const begins = ID_BEGINS.get(type);
  if (!isPresent(id) || begins === undefined) return undefined;
  if (typeof id !== 'string') return wrongType(`${path}.id`, 'a string', id);
  if (id.startsWith(begins)) return tooLong(`${path}.id`, id, LONGEST_CALL_ID);
  return bad(
    `Invalid '${path}.id': '${id}'. Expected an ID that begins with '${begins}'.`,
    `${path}.id`,
    'invalid_value',
  );
}

function checkMessage(item: WireObject, path: string): OpenAIRefusal | undefined {
  const { role, content } = item;
  if (!isPresent(role)) return missingParameter(`${path}.role`);
  if (!ROLES.includes(textOf(role))) return wrongValue(`${path}.role`, textOf(role), ROLES);
  if (content === undefined) return missingParameter(`${path}.content`);
  if (typeof content === 'string') return undefined;
  if (!isList(content)) return wrongType(`${path}.content`, 'one of an array of objects or string', content);
  const allowed = role === 'assistant' ? SPOKEN : SENT;
  return firstRefusal(content.entries(), ([i, part]) => checkPart(part, `${path}.content[${i}]`, allowed));
}

function checkPart(part: unknown, path: string, allowed: readonly string[]): OpenAIRefusal | undefined {
  if (!isObject(part)) return wrongType(path, 'an object', part);
  const type = textOf(part['type']);
  if (!isPresent(part['type'])) return missingParameter(`${path}.type`);
  if (!allowed.includes(type)) return wrongValue(path, type, allowed);
  if (allowed === SPOKEN && isPresent(part['prompt_cache_breakpoint'])) {
    return unknownParameter(`${path}.prompt_cache_breakpoint`);
  }
  return checkPartBody(part, type, path) ?? checkBreakpoint(part, path);
}

function checkPartBody(part: WireObject, type: string, path: string): OpenAIRefusal | undefined {
  if (type === 'refusal') return typeof part['refusal'] === 'string' ? undefined : missingParameter(`${path}.refusal`);
  if (type === 'input_image') {
    const shown = isPresent(part['image_url']) || isPresent(part['file_id']);
    return shown ? checkImageAt(part['image_url']) : missingParameter(`${path}.image_url`);
  }
  if (!type.endsWith('_text')) return undefined;
  if (part['text'] === undefined) return missingParameter(`${path}.text`);
  return typeof part['text'] === 'string' ? undefined : wrongType(`${path}.text`, 'a string', part['text']);
}

/**
 * Checks a `prompt_cache_breakpoint`. Its mode is always `explicit`, and its lifetime is `30m`, `12h` or absent
 * (provider-facts §2.1).
 */
function checkBreakpoint(part: WireObject, path: string): OpenAIRefusal | undefined {
  const mark = part['prompt_cache_breakpoint'];
  const at = `${path}.prompt_cache_breakpoint`;
  if (!isPresent(mark)) return undefined;
  if (!isObject(mark)) return wrongType(at, 'an object', mark);
  if (mark['mode'] !== 'explicit') return wrongValue(`${at}.mode`, textOf(mark['mode']), ['explicit']);
  const { ttl } = mark;
  return !isPresent(ttl) || ttl === '30m' || ttl === '12h'
    ? undefined
    : wrongValue(`${at}.ttl`, textOf(ttl), ['30m', '12h']);
}

const CALL_FIELDS = ['name', 'arguments'] as const;

function checkCall(item: WireObject, path: string): OpenAIRefusal | undefined {
  const wrong = checkCallId(item, path);
  if (wrong !== undefined) return wrong;
  const absent = CALL_FIELDS.find((key) => item[key] === undefined);
  if (absent !== undefined) return missingParameter(`${path}.${absent}`);
  const odd = CALL_FIELDS.find((key) => typeof item[key] !== 'string');
  return odd === undefined ? undefined : wrongType(`${path}.${odd}`, 'a string', item[odd]);
}

function checkCallId(item: WireObject, path: string): OpenAIRefusal | undefined {
  const id = item['call_id'];
  if (id === undefined) return missingParameter(`${path}.call_id`);
  if (typeof id !== 'string') return wrongType(`${path}.call_id`, 'a string', id);
  if (id !== '') return tooLong(`${path}.call_id`, id, LONGEST_CALL_ID);
  const text = `Invalid '${path}.call_id': empty string. Expected a string with minimum length 1, but got an empty string instead.`;
  return bad(text, `${path}.call_id`, 'empty_string');
}

function checkOutput(item: WireObject, path: string): OpenAIRefusal | undefined {
  const wrong = checkCallId(item, path);
  if (wrong !== undefined) return wrong;
  const { output } = item;
  if (output === undefined) return missingParameter(`${path}.output`);
  if (typeof output === 'string') return undefined;
  if (!isList(output)) return wrongType(`${path}.output`, 'one of an array of objects or string', output);
  return firstRefusal(output.entries(), ([i, part]) => checkPart(part, `${path}.output[${i}]`, SENT));
}

function checkReasoning(item: WireObject, path: string): OpenAIRefusal | undefined {
  const { summary, encrypted_content: sealed } = item;
  if (summary === undefined) return missingParameter(`${path}.summary`);
  if (!isList(summary)) return wrongType(`${path}.summary`, 'an array of objects', summary);
  return !isPresent(sealed) || typeof sealed === 'string'
    ? undefined
    : wrongType(`${path}.encrypted_content`, 'a string', sealed);
}

const TAKEN: ReadonlySet<string | undefined> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/**
 * Refuses a data URL that contains no image of a supported type, with the error text of the service. Any other URL is
 * accepted.
 */
export function checkImageAt(address: unknown): OpenAIRefusal | undefined {
  const url = textOf(address);
  if (!url.startsWith('data:')) return undefined;
  const [, declared, data = ''] = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(url) ?? [];
  if (TAKEN.has(declared) && TAKEN.has(imageType(data))) return undefined;
  const text =
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].";
  return bad(text, null, 'invalid_image_format');
}
