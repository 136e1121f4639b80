// What an author's function returned, as the output of a call.

import type { ToolOutput } from '@tidemark/agent';
import { KitError } from './kit-error.ts';

const FIELDS: ReadonlySet<string> = new Set<keyof ToolOutput>([
  'text',
  'page',
  'images',
  'failed',
  'exit',
  'files',
  'facts',
]);

/** @throws KitError `kit/bad-tool` for a value that JSON cannot hold. */
export function outputOf(tool: string, returned: unknown): ToolOutput {
  if (returned === undefined) return {};
  if (typeof returned === 'string') return { text: returned };
  return isOutput(returned) ? returned : { text: asJson(tool, returned) };
}

function isOutput(value: unknown): value is ToolOutput {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const names = Object.keys(value);
  if (names.length === 0 || !names.every((name) => FIELDS.has(name))) return false;
  if ('page' in value && typeof value.page !== 'function') return false;
  return !('text' in value) || typeof value.text === 'string';
}

function asJson(tool: string, value: unknown): string {
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (cause) {
    throw notJson(tool, cause);
  }
  throw notJson(tool);
}

function notJson(tool: string, cause?: unknown): KitError {
  const message = `${tool} returned what JSON cannot hold: return a string, a JSON value or a ToolOutput`;
  return new KitError('kit/bad-tool', message, { tool }, cause);
}
