// Fetches one page for a call. It is loaded with the first call, because the HTTP client and the decoders need time to
// load.

import type { ToolContext, ToolOutput } from '@tidemark/agent';

import type { PrivateHosts } from '../address/allowed-hosts.ts';
import type { ResolveHost } from '../address/checked-lookup.ts';
import { requireReachable, systemResolver } from '../address/checked-lookup.ts';
import { textPage } from '../page/text-page.ts';
import { requireNoSecret } from '../require-no-secret.ts';
import type { WebReply } from '../transport/exchange.ts';
import type { WebOutcome } from '../transport/follow.ts';
import { follow } from '../transport/follow.ts';
import type { FetchLimits } from '../transport/limits.ts';
import type { FetchedText, KeptTexts } from './kept-texts.ts';
import type { WebDocument } from './read-document.ts';
import { readDocument } from './read-document.ts';

/** Checked arguments of a call. */
export interface FetchRequest {
  readonly url: URL;
  readonly from: number;
  readonly raw: boolean;
}

/** Parts that all calls of a tool have in common. */
export interface FetchSetup {
  readonly allowed: PrivateHosts;
  readonly resolve: ResolveHost | undefined;
  readonly limits: FetchLimits;
  readonly now: () => string;
  readonly kept: KeptTexts;
}

/**
 * Checks a host that is an IP address, before a person is asked about the call. Looks up no name.
 *
 * @throws WebError `web/private-address` for an address that must not be reached.
 */
export function requireFetchable(url: URL, { allowed }: Pick<FetchSetup, 'allowed'>): void {
  requireReachable(url, allowed);
}

/**
 * Fetches a page, or takes it from memory if the call is for a later part of it.
 *
 * @throws WebError
 */
export async function fetchPage(request: FetchRequest, setup: FetchSetup, context: ToolContext): Promise<ToolOutput> {
  const { url, from, raw } = request;
  await requireNoSecret(url.href, 'address', context);
  const name = `${context.session} ${raw ? 'raw' : 'text'} ${url.href}`;
  const earlier = from === 0 ? undefined : setup.kept.get(name);
  if (earlier !== undefined) return pageOf(earlier, from);
  const { allowed, resolve = systemResolver, limits } = setup;
  const outcome = await follow(url, { allowed, resolve }, limits, context.signal);
  if ('redirect' in outcome) return { text: redirectText(outcome) };
  const document = await readDocument(outcome, raw, context.signal);
  const title = await context.mask(document.title);
  const head = headOf(outcome, { ...document, title }, setup.now());
  const failed = outcome.status >= 400;
  if (document.image !== undefined) return { text: head, images: [document.image], ...(failed && { failed }) };
  // Masked before it is cut into pages: a part of a secret would not be recognized.
  const text = await context.mask(document.text);
  const again = from === 0 ? [] : ['downloaded again, so the text before this page may have changed'];
  const fetched = { text, head, notes: document.notes, failed };
  setup.kept.keep(name, fetched);
  return pageOf({ ...fetched, notes: [...fetched.notes, ...again] }, from);
}

function pageOf({ failed, ...paged }: FetchedText, from: number): ToolOutput {
  return { page: textPage({ ...paged, from }), ...(failed && { failed }) };
}

/** Maximum number of characters of a title. */
const TITLE = 200;

function headOf({ url, status }: WebReply, { type, title }: WebDocument, time: string): string {
  const named = title === '' ? [] : [`title ${JSON.stringify(title.slice(0, TITLE))}`];
  return `[untrusted content of ${url.href}; ${[`status ${status}`, type, `fetched ${time}`, ...named].join('; ')}]`;
}

function redirectText({ redirect, from, status }: Extract<WebOutcome, { redirect: URL }>): string {
  const reason = redirect.hostname === from.hostname ? 'without encryption' : 'on another host';
  return `[${from.href} redirects with status ${status} to an address ${reason}, which was not fetched: ${redirect.href}. If you need it, call fetch with this address.]`;
}
