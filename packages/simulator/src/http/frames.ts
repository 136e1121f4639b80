// Frames of a WebSocket connection: the client's `response.create`, and errors as the service tells them there (§2.4).

import { given, isObject, textOf } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';
import { missingParameter, unknownParameter, wrongValue } from '../openai/format/parameter-refusals.ts';
import { bad } from '../openai/format/refusal.ts';
import type { OpenAIRefusal } from '../openai/format/refusal.ts';

/** A `response.create` taken apart. */
export interface CreateFrame {
  readonly outcome: 'read';
  /** What a call over HTTP would bring as its body. */
  readonly body: string;
  readonly previous: string | undefined;
  /** False where only state is to be prepared. */
  readonly generates: boolean;
}

/** Reads a frame of the client, or refuses it. */
export function readFrame(text: string): CreateFrame | OpenAIRefusal {
  const frame = parse(text);
  if (!isObject(frame)) return bad('simulator: a frame that is no JSON object. Send one event as JSON.', null);
  const { type, generate, ...fields } = frame;
  if (!given(type)) return missingParameter('type');
  if (type !== 'response.create') return wrongValue('type', textOf(type), ['response.create']);
  const wrong = checkFields(fields);
  if (wrong !== undefined) return wrong;
  const previous = textOf(fields['previous_response_id']);
  const body = JSON.stringify({ ...fields, stream: true });
  return { outcome: 'read', body, previous: previous || undefined, generates: generate !== false };
}

/** Only over HTTP: a socket always streams, and never works in the background. */
function checkFields(fields: WireObject): OpenAIRefusal | undefined {
  if (given(fields['stream_id'])) {
    return bad("simulator: lanes are not simulated. Leave 'stream_id' out; open another connection.", 'stream_id');
  }
  const extra = (['stream', 'background'] as const).find((name) => name in fields);
  return extra === undefined ? undefined : unknownParameter(extra);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A refusal as an event: status and error in one, with the headers that HTTP would have carried. */
export function refusalFrame({ status, type, message, param, code, headers }: OpenAIRefusal): string {
  const told = Object.keys(headers).length === 0 ? {} : { headers };
  return JSON.stringify({ type: 'error', status, error: { type, code, message, param, ...told } });
}

const LONGEST_MS = 60 * 60 * 1000;

/** The refusal of a connection that is open for 60 minutes, if it is. */
export function tooOld(openedAt: number, now: number): OpenAIRefusal | undefined {
  if (now - openedAt < LONGEST_MS) return undefined;
  const text =
    'Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.';
  return bad(text, null, 'websocket_connection_limit_reached');
}
