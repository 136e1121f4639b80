// Turns a schema into a decoder for one kind of record.

import type { Json } from '@tidemark/core';
import { z } from 'zod';
import type { EventData, Kind, Placed, RecordedOf } from '../../event.ts';
import type { CallId, Chain, Digest, Money, Position, SessionId, Timestamp, TurnId } from '../../ids.ts';

/** Fields of a record in addition to its payload. */
export interface RecordEnvelope extends Placed {
  readonly at: Timestamp;
  readonly turn: TurnId | undefined;
}

/**
 * Reasons why a payload does not have the shape of its kind. Each reason contains the path to a field and the expected
 * value, never the actual value.
 */
interface Unfit {
  readonly unfit: readonly { readonly path: string; readonly expected: string }[];
}

/**
 * Decodes an `unknown` payload into a typed record. Unknown keys are dropped from the record, but they remain in the
 * raw bytes of the log.
 */
type PayloadDecoder<K extends Kind> = (envelope: RecordEnvelope, data: unknown) => RecordedOf<K> | Unfit;

/** One decoder for every kind. */
export type Decoders = { readonly [K in Kind]: PayloadDecoder<K> };

/**
 * Returns the decoder of one kind, made from the schema of its payload. A payload without unknown keys is not copied.
 */
export function decoder<K extends Kind>(kind: K, schema: z.ZodType<EventData[K]>): PayloadDecoder<K> {
  const fits = exactFit(schema);
  return (envelope, value) => {
    if (fits(value)) return recordOf(kind, envelope, value);
    const read = schema.safeParse(value);
    return read.success ? recordOf(kind, envelope, read.data) : { unfit: read.error.issues.map(issueOf) };
  };
}

function recordOf<K extends Kind>(kind: K, envelope: RecordEnvelope, data: EventData[K]): RecordedOf<K> {
  const { v, position, at, fence, turn, chain } = envelope;
  if (turn === undefined) return { kind, at, data, v, position, fence, chain };
  return { kind, at, turn, data, v, position, fence, chain };
}

function issueOf(issue: z.core.$ZodIssue): Unfit['unfit'][number] {
  return { path: ['data', ...issue.path.map(String)].join('.'), expected: issue.message };
}

// Quick check for a value that a schema would return unchanged. Such a value is used without a copy. The check is made
// from the schema, so a payload is described only one time. The check never rejects a value. If a value fails the
// check, the schema parses the value. The schema then drops unknown keys or reports the error. Without the check,
// opening a session of 100,000 events takes 24% more processor time
// (docs/decisions/2026-11-23-libraries-for-concurrency-and-parsing.md).

type Fits = (value: unknown) => boolean;

/**
 * Makes a quick check from a schema. If the check returns `true`, parsing returns an equal value. If the check returns
 * `false`, the result is not known, and the schema must parse the value.
 */
export function exactFit<T>(schema: z.ZodType<T>): (value: unknown) => value is T {
  const fits = fitOf(schema);
  return (value): value is T => fits(value);
}

const NEVER: Fits = () => false;

function fitOf(schema: unknown): Fits {
  if (!(schema instanceof z.ZodType) || (schema.def.checks ?? []).length > 0) return NEVER;
  if (schema instanceof z.ZodString) return (value) => typeof value === 'string';
  if (schema instanceof z.ZodNumber) return Number.isFinite;
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === 'boolean';
  if (schema instanceof z.ZodCustom) return customFit(schema);
  if (schema instanceof z.ZodLiteral) return oneOf(schema.values);
  if (schema instanceof z.ZodEnum) return oneOf(new Set(schema.options));
  if (schema instanceof z.ZodArray) return listFit(fitOf(schema.element));
  if (schema instanceof z.ZodObject) return recordFit(schema.shape);
  if (schema instanceof z.ZodDiscriminatedUnion) return unionFit(schema);
  return NEVER;
}

function customFit({ def: { fn } }: z.ZodCustom): Fits {
  return (value) => fn(value) === true;
}

function oneOf(values: ReadonlySet<unknown>): Fits {
  return (value) => values.has(value);
}

function listFit(element: Fits): Fits {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const one of value) if (!element(one)) return false;
    return true;
  };
}

interface Field {
  readonly fits: Fits;
  readonly required: 0 | 1;
}

function recordFit(shape: Readonly<Record<string, unknown>>): Fits {
  const fields = new Map(Object.entries(shape).map(([key, schema]): [string, Field] => [key, fieldOf(schema)]));
  const required = [...fields.values()].filter((field) => field.required === 1).length;
  return (value) => {
    if (!isRecord(value)) return false;
    let found = 0;
    for (const key in value) {
      const field = fields.get(key);
      if (field === undefined || !field.fits(value[key])) return false;
      found += field.required;
    }
    return found === required;
  };
}

function fieldOf(schema: unknown): Field {
  if (schema instanceof z.ZodExactOptional) return { fits: fitOf(schema.unwrap()), required: 0 };
  return { fits: fitOf(schema), required: 1 };
}

function unionFit({ def: { discriminator }, options }: z.ZodDiscriminatedUnion): Fits {
  const byTag = new Map<unknown, Fits>();
  for (const option of options) {
    const tag = shapeOf(option).get(discriminator);
    if (tag instanceof z.ZodLiteral) for (const name of tag.values) byTag.set(name, fitOf(option));
  }
  return (value) =>
    isRecord(value) && Object.hasOwn(value, discriminator) && (byTag.get(value[discriminator]) ?? NEVER)(value);
}

function shapeOf(schema: unknown): ReadonlyMap<string, unknown> {
  return new Map(schema instanceof z.ZodObject ? Object.entries(schema.shape) : []);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Schemas of the smallest parts of a payload: branded values, JSON and counts. They do not change after the first
// release.

/**
 * One schema for each field of `T`. The type makes every field required. If a field had no schema, it would be lost
 * without notice (L6).
 */
export type PayloadShape<T> = {
  readonly [K in keyof T]-?: Partial<Pick<T, K>> extends Pick<T, K>
    ? z.ZodExactOptional<z.ZodType<Required<T>[K]>>
    : z.ZodType<T[K]>;
};

function brandedId<T extends string>(pattern: RegExp, name: string): z.ZodType<T> {
  return z.custom<T>((value) => typeof value === 'string' && pattern.test(value), { error: `expected ${name}` });
}

export const sessionId: z.ZodType<SessionId> = brandedId(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'a session id');
export const callId: z.ZodType<CallId> = brandedId(/[^]/, 'a call id');
export const digest: z.ZodType<Digest> = brandedId(/^[0-9a-f]{64}$/, 'a SHA-256 digest');
/** Schema of the state of a file: the digest of its bytes, or `absent`. */
export const fileState: z.ZodType<Digest | 'absent'> = brandedId(
  /^(?:[0-9a-f]{64}|absent)$/,
  'a SHA-256 digest or "absent"',
);
export const chain: z.ZodType<Chain> = brandedId(/^[0-9a-f]{16}$/, 'a chain digest');
export const money: z.ZodType<Money> = brandedId(/^-?\d+(\.\d+)?$/, 'a decimal number as text');
export const timestamp: z.ZodType<Timestamp> = brandedId(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  'a timestamp in UTC with milliseconds',
);

export const position: z.ZodType<Position> = z.custom<Position>(
  (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
  { error: 'expected a position' },
);

/**
 * Schema of any JSON value. Nested values are not checked here, because the canonical JSON writer refuses values that
 * JSON cannot represent.
 */
export const json: z.ZodType<Json> = z.custom<Json>((value) => value !== undefined, { error: 'expected a JSON value' });
/** Schema of an object with any JSON values. */
export const jsonRecord: z.ZodType<{ readonly [name: string]: Json }> = z.custom<{ readonly [name: string]: Json }>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { error: 'expected JSON values by name' },
);

export const text: z.ZodType<string> = z.string();
export const number: z.ZodType<number> = z.number();
export const flag: z.ZodType<boolean> = z.boolean();

/** Makes the schema of a field that may be absent but is never `undefined`. */
export function optional<T>(schema: z.ZodType<T>): z.ZodExactOptional<z.ZodType<T>> {
  return z.exactOptional(schema);
}
