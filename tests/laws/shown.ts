// Reads the content of a block from its bytes, as a model sees it. The tests have their own code for this, so that they
// find faults of the encoder.

import { createHash } from 'node:crypto';
import type { Block } from '@tidemark/model';

/** Content of one block. */
export type Shown =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly digest: string }
  | { readonly kind: 'thinking'; readonly raw: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: string }
  | { readonly kind: 'result'; readonly id: string; readonly error: boolean; readonly content: readonly Shown[] }
  | { readonly kind: 'tool'; readonly name: string; readonly schema: unknown }
  | { readonly kind: 'other'; readonly raw: string };

type Fields = { readonly [name: string]: unknown };

/** Reads a block that the encoder of Anthropic or of the scripted provider wrote. */
export function shownBy(block: Block): Shown {
  const raw = block.head + block.tail;
  const fields = asFields(JSON.parse(raw));
  if (block.section === 'tools') return shownTool(fields);
  if ('part' in fields) return shownPart(asFields(fields['part']));
  if ('system' in fields) return { kind: 'text', text: String(fields['system']) };
  return shownWire(fields, raw);
}

function shownTool(fields: Fields): Shown {
  const tool = 'tool' in fields ? asFields(fields['tool']) : fields;
  return { kind: 'tool', name: String(tool['name']), schema: tool['schema'] ?? tool['input_schema'] };
}

function shownWire(fields: Fields, raw: string): Shown {
  switch (fields['type']) {
    case 'text':
      return { kind: 'text', text: String(fields['text']) };
    case 'image':
      return { kind: 'image', digest: digestOf(Buffer.from(String(asFields(fields['source'])['data']), 'base64')) };
    case 'thinking':
    case 'redacted_thinking':
      return { kind: 'thinking', raw };
    case 'tool_use':
      return {
        kind: 'call',
        id: String(fields['id']),
        name: String(fields['name']),
        input: raw.slice(raw.indexOf('"input":') + 8, -1),
      };
    case 'tool_result': {
      const content = asList(fields['content']).map((one) => shownWire(asFields(one), JSON.stringify(one)));
      return { kind: 'result', id: String(fields['tool_use_id']), error: fields['is_error'] === true, content };
    }
    default:
      return { kind: 'other', raw };
  }
}

function shownPart(part: Fields): Shown {
  switch (part['type']) {
    case 'text':
      return { kind: 'text', text: String(part['text']) };
    case 'image':
      return { kind: 'image', digest: String(part['artifact']) };
    case 'reasoning':
      return { kind: 'thinking', raw: String(part['opaque']) };
    case 'call':
      return { kind: 'call', id: String(part['call']), name: String(part['name']), input: String(part['arguments']) };
    case 'result': {
      const content = asList(part['content']).map((one) => shownPart(asFields(one)));
      return { kind: 'result', id: String(part['call']), error: part['error'] === true, content };
    }
    case 'change':
      return { kind: 'other', raw: JSON.stringify(part) };
    default:
      return { kind: 'other', raw: String(part['item']) };
  }
}

/**
 * Returns the fields of a JSON object.
 *
 * @throws Error for any other value.
 */
export function asFields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`no object: ${JSON.stringify(value)}`);
  return Object.fromEntries(Object.entries(value));
}

/**
 * Returns the value, which must be a JSON list.
 *
 * @throws Error for any other value.
 */
export function asList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`no list: ${JSON.stringify(value)}`);
  return value;
}

/** Returns the SHA-256 digest in hex. */
export function digestOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
