// Chooses the encoder of a request. A server may refuse an optional field of the body. The session then uses the
// encoder without this field for the rest of its requests. Each request records its encoder, so the log contains the
// change, and a reopened session continues with it (L2, L9).

import type { State } from '@tidemark/context';
import type { RequestPrepared } from '@tidemark/log';
import type { Encoder, Provider, ProviderError } from '@tidemark/model';
import type { SessionEvent } from '../ports/session-event.ts';

/**
 * Returns the encoder of the next request. If this process chose an encoder after a refusal (`learned`), returns that
 * encoder. Otherwise returns the encoder of the last accepted request if the provider has this encoder. Otherwise
 * returns the provider's own encoder.
 */
export function chooseEncoder({ name, encoder }: Provider, state: State, learned: Encoder | undefined): Encoder {
  const others = Object.values(encoder.without ?? {});
  if (learned !== undefined && others.includes(learned)) return learned;
  const last = state.epoch?.opened.provider === name ? state.streams['main']?.accepted?.prepared.encoder : undefined;
  return others.find(({ revision }) => revision === last) ?? encoder;
}

/**
 * Returns an encoder with which a refused request can be sent again. This encoder omits the optional field that the
 * error names. Returns `undefined` if the error names no such field, or if the request did not contain the field.
 */
export function encoderWithout(
  { encoder }: Provider,
  { encoder: used }: RequestPrepared,
  { class: next, data: { field } }: ProviderError,
): Encoder | undefined {
  if (next !== 'refused' || field === undefined || used !== encoder.revision) return undefined;
  const { without = {} } = encoder;
  return Object.hasOwn(without, field) ? without[field] : undefined;
}

/** Returns the notice that the session omits a field from now on. */
export function fieldNotice({ message, data: { field = '' } }: ProviderError): SessionEvent {
  const notice = {
    code: 'turn/field-refused',
    message: `${message}. The field \`${field}\` is not sent any more`,
    next: 'The request is sent again without the field. If the server then reports no usage, the tokens of the session are unknown.',
  };
  return { type: 'notice.raised', notice };
}
