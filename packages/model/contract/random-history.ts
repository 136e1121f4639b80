// Generates random histories without open calls, for the encoder contract. They include unusual texts, ids and
// arguments that providers refuse.

import fc from 'fast-check';
import type { Capabilities } from '../src/capabilities.ts';
import type { AnswerPart, CallPart, ImagePart } from '@tidemark/core';
import type { BoundReasoningPart, ChangePart, Part, ResultPart } from '../src/parts.ts';
import type { Front, Span } from '../src/span.ts';

/** Provider and model that a generated history is for. */
export interface Addressee {
  readonly provider: string;
  readonly model: string;
}

/** Image whose bytes `loweringFor` provides. */
export const PICTURE: ImagePart = { type: 'image', artifact: 'a'.repeat(64), mediaType: 'image/png', bytes: 3 };

/** Tool whose definition `loweringFor` provides. */
export const TOOL = {
  name: 'extra',
  digest: 'f'.repeat(64),
  definition: '{"description":"More.","name":"extra","schema":{"type":"object","properties":{"10":{},"9":{}}}}',
} as const;

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', ' \n', '\ud800', '"quoted" \\ and {braced}'),
);
const json = fc.oneof(
  fc.jsonValue().map((value) => JSON.stringify({ value })),
  fc.constantFrom('', '{}', '{"b":1,"a":[1.0,{"10":1,"9":2}]}', '{"cut":"of', '[1]', ' {"x":"\\ud800"} '),
);
const id = fc.oneof(fc.uuid(), fc.constantFrom('call_1|fc_2', 'ünlike', 'a b'));

/**
 * Generates the spans of a history in which every call has its result. The history also contains the changes that
 * `appends` allows.
 */
export function randomHistory(to: Addressee, appends: Capabilities['appends'] = []): fc.Arbitrary<readonly Span[]> {
  return fc
    .array(fc.oneof(prompt(), answer(to), ...changesOf(appends).map(change)), { minLength: 1, maxLength: 12 })
    .map((turns) =>
      turns
        .flatMap((messages, turn) => messages.map((message) => inTurn(message, turn)))
        .flatMap((message, group) => message.spans.map((parts, index) => ({ message, group, parts, index }))),
    )
    .map((drafts) =>
      drafts.map(({ message, group, parts, index }, ordinal) => {
        const { role } = message;
        const origin = { from: 'event', session: 'session', position: ordinal } as const;
        const opensTurn = message.opensTurn && index === 0;
        return { role, opensTurn, parts, ordinal, group, stability: 'session', origin };
      }),
    );
}

/** Generates a front with up to three tools and up to three system texts. */
export function randomFront(to: Addressee): fc.Arbitrary<Front> {
  const origin = { from: 'layer', layer: 'runtime', revision: '1' } as const;
  const tool = fc.record({ name: fc.stringMatching(/^[a-z]{1,9}$/), said: text }).map(({ name, said }) => ({
    name,
    definition: `{"description":${JSON.stringify(said.toWellFormed())},"name":"${name}","schema":{"type":"object","properties":{"10":{},"9":{}}}}`,
    origin,
  }));
  const system = text.map((one) => ({ text: one, stability: 'global' as const, origin }));
  return fc.record({
    model: fc.constant(to.model),
    parameters: fc.constant({}),
    tools: fc.uniqueArray(tool, { maxLength: 3, selector: ({ name }) => name }),
    system: fc.array(system, { maxLength: 3 }),
  });
}

interface Message {
  readonly role: Span['role'];
  readonly opensTurn: boolean;
  readonly spans: readonly (readonly Part[])[];
}

// Adds the turn number to each call id. Call ids are then unique in a history, as in a log.
function inTurn(message: Message, turn: number): Message {
  const rename = (part: Part): Part => {
    if (part.type === 'call') return { ...part, call: `${part.call}_${turn}` };
    return part.type === 'result' ? { ...part, call: `${part.call}_${turn}` } : part;
  };
  return { ...message, spans: message.spans.map((parts) => parts.map(rename)) };
}

/** Returns one or more example changes for each kind in `appends`. */
export function changesOf(appends: Capabilities['appends']): readonly ChangePart[] {
  const { name, digest: definition } = TOOL;
  const tools = { type: 'change', change: 'tools' } as const;
  const all: readonly (ChangePart & { readonly needs: Capabilities['appends'] })[] = [
    { type: 'change', change: 'reasoning', setting: 'high', needs: ['reasoning'] },
    { type: 'change', change: 'role', text: 'Be short.', needs: ['system'] },
    { ...tools, added: [{ name, definition }], removed: [], needs: ['tools', 'tool-additions'] },
    { ...tools, added: [{ name, definition, known: true }], removed: ['read'], needs: ['tools'] },
  ];
  return all
    .filter(({ needs }) => needs.some((need) => appends.includes(need)))
    .map(({ needs: _needs, ...part }) => part);
}

function change(part: ChangePart): fc.Arbitrary<readonly Message[]> {
  return fc.constant([{ role: 'system', opensTurn: false, spans: [[part]] }]);
}

function prompt(): fc.Arbitrary<readonly Message[]> {
  const part = fc.oneof(anyText(), fc.constant<Part>(PICTURE));
  return fc
    .array(fc.array(part, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 })
    .map((spans) => [{ role: 'user', opensTurn: true, spans }]);
}

function answer(to: Addressee): fc.Arbitrary<readonly Message[]> {
  const anyProse = fc.array(fc.oneof(anyText(), reasoning(to), native(to)), { maxLength: 3 });
  const calls = fc.uniqueArray(call(), { maxLength: 3, selector: (one) => one.call });
  const closings = fc.array(closing(), { minLength: 3, maxLength: 3 });
  return fc.record({ said: anyProse, calls, closings }).map((made) => {
    const answered: Message = { role: 'assistant', opensTurn: false, spans: [[...made.said, ...made.calls]] };
    const results = made.calls.map(({ call: name }, index): readonly Part[] => {
      const closed = made.closings[index] ?? { error: false, content: [] };
      return [{ type: 'result', call: name, ...closed }];
    });
    return results.length === 0 ? [answered] : [answered, { role: 'user', opensTurn: false, spans: results }];
  });
}

function anyText(): fc.Arbitrary<Part> {
  return text.map((one) => ({ type: 'text', text: one }));
}

function reasoning(to: Addressee): fc.Arbitrary<BoundReasoningPart> {
  const opaque = fc.constantFrom(
    '{"type":"thinking","thinking":"hm","signature":"s"}',
    '{"type":"redacted_thinking","data":"x"}',
  );
  return fc
    .record({ opaque, provider: fc.constantFrom(to.provider, 'another'), model: fc.constantFrom(to.model, 'another') })
    .map((bound) => ({ type: 'reasoning', text: 'hm', ...bound }));
}

function native(to: Addressee): fc.Arbitrary<Extract<AnswerPart, { type: 'native' }>> {
  return fc.constantFrom(to.provider, 'another').map((provider) => ({
    type: 'native',
    provider,
    item: '{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}}',
    text: 'searched the web',
  }));
}

function call(): fc.Arbitrary<CallPart> {
  return fc
    .record({ call: id, name: fc.constantFrom('read', 'mcp.read', ''), arguments: json })
    .map((one) => ({ type: 'call', ...one }));
}

function closing(): fc.Arbitrary<Pick<ResultPart, 'error' | 'content'>> {
  const part = fc.oneof(
    text.map((one) => ({ type: 'text' as const, text: one })),
    fc.constant(PICTURE),
  );
  return fc.record({ error: fc.boolean(), content: fc.array(part, { maxLength: 2 }) });
}
