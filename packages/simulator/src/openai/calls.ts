// The three calls of the OpenAI part: Responses, counting and Chat. Each call has its own reply format.

import type { OpenAICore } from './memory.ts';
import type { SimulatedAnswer } from '../core/answer.ts';
import type { Fault, ErrorFault } from '../core/faults.ts';
import type { WireObject } from '../core/wire.ts';
import { admitOpenAI, countOpenAI, includes, wantsSummary } from './admit.ts';
import type { AdmittedCall, IncomingOpenAICall } from './admit.ts';
import { chatErrorEvent, completionChunks, completionOf, MALFORMED_CHUNK, chatUsage } from './chat/completion.ts';
import type { ChatReply } from './chat/completion.ts';
import { keptItem } from './responses/stored.ts';
import type { ConnectionMemory } from './responses/stored.ts';
import { fingerprintOf } from './responses/diagnostics.ts';
import { distortCounts, SERVER_ERROR } from './format/faults.ts';
import {
  responsesUsage,
  errorEvent,
  failedEvent,
  MALFORMED_RESPONSE_EVENT,
  responseEvents,
  responseOf,
} from './responses/response.ts';
import { itemsOf } from './format/output.ts';
import type { OpenAIRequest } from './format/prompt.ts';
import { readChat } from './chat/read-chat.ts';
import { readResponses } from './responses/read-responses.ts';
import type { ResponsesRequest } from './responses/read-responses.ts';
import { summaryOf } from './responses/reasoning.ts';
import type { OpenAIRefusal } from './format/refusal.ts';
import type { ResponsesReply } from './responses/response.ts';
import type { TokenCounts } from '../core/ledger.ts';

/** Call that passed all checks and will be answered, with its reply in the format of the called endpoint. */
export interface OpenAIReply {
  readonly outcome: 'admitted';
  readonly startedAt: number;
  readonly streamed: boolean;
  readonly answer: SimulatedAnswer;
  /** True token counts of the call. A `wrong-usage` fault does not change them. */
  readonly counts: TokenCounts;
  /** The token counts in `counts`, in the form of the `usage` field of the response. */
  readonly usage: WireObject;
  /** Whole response body, in the form of a response that is not streamed. */
  readonly body: WireObject;
  readonly overflow: number;
  readonly fault: Fault | undefined;
  /** Returns the encoded events of a streamed response. `size` is the maximum number of characters in a delta. */
  events(size: number): Iterable<string>;
  readonly malformed: string;
  errorEvent(fault: ErrorFault, sent: number): string;
  begin(at: number): void;
}

/** Answers or refuses one `POST /v1/responses`. */
export function callResponses(core: OpenAICore, call: IncomingOpenAICall): OpenAIReply | OpenAIRefusal {
  const { connection, generates = true } = call;
  const admitted = admitOpenAI(core, call, 'responses', (body, account) => {
    const request = readResponses(body, readingOf(core, account, 'responses', connection));
    return 'outcome' in request || generates ? request : { ...request, prewarm: true };
  });
  return admitted.outcome === 'refused' ? admitted : responsesReply(core, admitted, connection);
}

/** Answers or refuses one `POST /v1/responses/input_tokens`. */
export function callInputTokens(
  core: OpenAICore,
  call: IncomingOpenAICall,
): { readonly outcome: 'counted'; readonly tokens: number } | OpenAIRefusal {
  return countOpenAI(core, call, (body, account) => readResponses(body, readingOf(core, account, 'count')));
}

/** Answers or refuses one chat completion. With `router`, the call and its reply have OpenRouter's form. */
export function callChat(
  core: OpenAICore,
  call: IncomingOpenAICall,
  wire: 'chat' | 'router',
): OpenAIReply | OpenAIRefusal {
  const find = core.settings.capabilities;
  const admitted = admitOpenAI(core, call, wire, (body) => readChat(body, wire, find));
  return admitted.outcome === 'refused' ? admitted : chatReply(admitted);
}

function readingOf(
  core: OpenAICore,
  account: string,
  purpose: 'responses' | 'count',
  connection?: ConnectionMemory,
): Parameters<typeof readResponses>[1] {
  const { seals, stored } = core.openai;
  const { capabilities: find, recordedSignatures } = core.settings;
  const earlier = (id: string): readonly unknown[] | undefined =>
    connection?.itemsUpTo(id) ?? stored.itemsUpTo(id, account);
  const item = (id: string): unknown => stored.item(id, account);
  return { purpose, account, find, earlier, item, seals, recorded: recordedSignatures === 'issued' };
}

function responsesReply(
  core: OpenAICore,
  admitted: AdmittedCall<ResponsesRequest>,
  connection: ConnectionMemory | undefined,
): OpenAIReply {
  const { request, seed, answer, startedAt } = admitted;
  const shown = { summary: wantsSummary(request), sealed: includes(request, 'reasoning.encrypted_content') };
  const { id } = admitted;
  const fingerprint = fingerprintOf(request, admitted.account, admitted.prefix);
  const diagnosis = core.openai.diagnostics.diagnose(request, fingerprint, admitted.counts.read);
  core.openai.diagnostics.remember(id, fingerprint);
  const reply: ResponsesReply = {
    id,
    request,
    answer,
    items: itemsOf(answer, seed, shown),
    counts: toldCounts(admitted),
    createdAt: Math.floor(startedAt / 1000),
    diagnosis,
  };
  return {
    ...common(admitted),
    usage: responsesUsage(admitted.counts),
    body: responseOf(reply),
    events: (size) => responseEvents(reply, size),
    malformed: MALFORMED_RESPONSE_EVENT,
    errorEvent: ({ type = 'server_error', message = SERVER_ERROR, form }, sent) =>
      form === 'failed' ? failedEvent(reply, sent, type, message) : errorEvent(sent, type, message),
    begin(first) {
      admitted.begin(first);
      remember(core, admitted, reply);
      connection?.keep(id, [...admitted.request.earlier, ...admitted.request.input, ...reply.items.map(keptItem)]);
    },
  };
}

function remember(core: OpenAICore, { request, account }: AdmittedCall<ResponsesRequest>, reply: ResponsesReply): void {
  const { seals, stored } = core.openai;
  const { store, previous, input, capabilities } = request;
  const output = reply.items.map(({ item }) => item);
  if (store) stored.keep(reply.id, { account, parent: previous, items: [...input, ...output] });
  for (const [i, { item, seal }] of reply.items.entries()) {
    if (seal === '') continue;
    seals.issue({
      id: String(item['id']),
      content: seal,
      summary: summaryOf(item),
      account,
      model: capabilities.model,
      stored: store,
      follower: reply.items[i + 1]?.item,
    });
  }
}

function chatReply(admitted: AdmittedCall<OpenAIRequest>): OpenAIReply {
  const { request, id, answer, startedAt } = admitted;
  const reply: ChatReply = {
    id,
    request,
    answer,
    counts: toldCounts(admitted),
    createdAt: Math.floor(startedAt / 1000),
  };
  return {
    ...common(admitted),
    usage: chatUsage(admitted.counts, request.rules.kind === 'unknown'),
    body: completionOf(reply),
    events: (size) => completionChunks(reply, size),
    malformed: MALFORMED_CHUNK,
    errorEvent: ({ type = 'server_error', message = SERVER_ERROR }) => chatErrorEvent(type, message),
    begin: admitted.begin,
  };
}

function toldCounts({ counts, fault }: AdmittedCall<OpenAIRequest>): TokenCounts {
  return distortCounts(counts, fault?.kind === 'wrong-usage' ? fault.usage : undefined);
}

function common(
  admitted: AdmittedCall<OpenAIRequest>,
): Pick<OpenAIReply, 'outcome' | 'startedAt' | 'streamed' | 'answer' | 'counts' | 'overflow' | 'fault'> {
  const { startedAt, answer, counts, overflow, fault, request } = admitted;
  return { outcome: 'admitted', startedAt, streamed: request.stream, answer, counts, overflow, fault };
}
