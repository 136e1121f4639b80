// Decoder of `request.observed`. It does not change after the first release.

import { z } from 'zod';
import type { ObservedMarker, RequestObserved } from '../../events/observed.ts';
import type { Decoders, PayloadShape } from './decoder.ts';
import { decoder, digest, json, jsonRecord, number, optional, position, text } from './decoder.ts';

const pathStep: z.ZodType<string | number> = z.custom<string | number>(
  (value) => typeof value === 'string' || Number.isFinite(value),
  { error: 'expected a field name or an index' },
);

const marker = z.object({
  path: z.array(pathStep),
  value: json,
} satisfies PayloadShape<ObservedMarker>);

const requestObserved = z.object({
  step: number,
  stream: text,
  name: text,
  form: text,
  provider: text,
  model: text,
  purpose: optional(text),
  version: optional(text),
  parameters: jsonRecord,
  front: optional(digest),
  base: optional(position),
  keep: number,
  unnamed: optional(number),
  tail: z.array(digest),
  missing: optional(z.array(digest)),
  markers: z.array(marker),
  digest: optional(digest),
  leftOut: optional(z.array(text)),
  rest: optional(json),
} satisfies PayloadShape<RequestObserved>);

export const observedDecoders: Pick<Decoders, 'request.observed'> = {
  'request.observed': decoder('request.observed', requestObserved),
};
