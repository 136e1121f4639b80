// From a schema to a decoder of one kind of record.

import type { z } from 'zod';
import type { EventData, Kind, Placed, RecordedOf } from '../../event.ts';
import type { Timestamp, TurnId } from '../../ids.ts';
import { exactFit } from './exact-fit.ts';

/** What stands around a payload. */
export interface RecordEnvelope extends Placed {
  readonly at: Timestamp;
  readonly turn: TurnId | undefined;
}

/** Why a payload is not what its kind says: the path to the field and what was expected there. Never the value. */
export interface Unfit {
  readonly unfit: readonly { readonly path: string; readonly expected: string }[];
}

/** `unknown` enters, a typed record leaves. Keys that are not known pass over: they stay in the raw bytes. */
export type PayloadDecoder<K extends Kind> = (envelope: RecordEnvelope, data: unknown) => RecordedOf<K> | Unfit;

/** One decoder for every kind. */
export type Decoders = { readonly [K in Kind]: PayloadDecoder<K> };

/** A decoder of one kind from the schema of its payload. A payload that needs nothing left out is not copied. */
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
