// Texts of a file: each long text is stored once, although a record and the blocks of several requests contain it.

import type { Json } from '@tidemark/core';
import { parseJson } from '@tidemark/core';

/** Shortest text that is stored by its number, in UTF-16 units. */
const LONG = 48;
/** Name of the only field of an object that stands for a text. */
const REFERENCE = '$text';

/** Texts that are packed, each one time. */
export interface PackedTexts {
  readonly texts: readonly string[];
  /** Returns JSON in which long texts are replaced by their numbers. */
  packJson(text: string): Json;
}

/** Creates an empty list of texts. */
export function createPackedTexts(): PackedTexts {
  const numbers = new Map<string, number>();
  const texts: string[] = [];
  const numberOf = (text: string): number => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, texts.length);
    return texts.push(text) - 1;
  };
  return {
    texts,
    // A packed value that is a number stands for a text that is not JSON, or that would not be the same after packing.
    packJson: (text) => packed(text, numberOf) ?? numberOf(text),
  };
}

/** Returns the text that was packed. */
export function unpackJson(value: Json, texts: readonly string[]): string {
  return typeof value === 'number' ? textAt(texts, value) : JSON.stringify(unpackValue(value, texts));
}

/** Returns the value of the JSON that was packed. */
export function unpackValue(value: Json, texts: readonly string[]): Json {
  if (isList(value)) return value.map((one) => unpackValue(one, texts));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  const [name, number] = fields[0] ?? [];
  if (name === REFERENCE && typeof number === 'number') return textAt(texts, number);
  return Object.fromEntries(fields.map(([field, one]) => [field, unpackValue(one ?? null, texts)]));
}

function textAt(texts: readonly string[], number: number): string {
  const text = texts[number];
  if (text === undefined) throw new RangeError(`the file has no text ${number}`);
  return text;
}

function packed(text: string, numberOf: (text: string) => number): Json | undefined {
  if (!/^[[{]/.test(text) || text.includes(`"${REFERENCE}"`)) return undefined;
  try {
    const value = parseJson(text);
    return JSON.stringify(value) === text ? packValue(value, numberOf) : undefined;
  } catch {
    return undefined;
  }
}

function packValue(value: unknown, numberOf: (text: string) => number): Json {
  if (typeof value === 'string') return value.length < LONG ? value : { [REFERENCE]: numberOf(value) };
  if (Array.isArray(value)) return value.map((one) => packValue(one, numberOf));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, packValue(one, numberOf)]));
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
