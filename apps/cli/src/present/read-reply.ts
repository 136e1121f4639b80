// Reads the user's reply to a question about a call.

import type { CallQuestion } from '@tidemark/agent';
import { patternProblem, readGrant } from '@tidemark/agent';
import type { PermissionAnswer } from '@tidemark/kit';

/**
 * Reply of the user: an answer, the reason why a grant was refused, or `unclear` if the text matches no offered answer.
 */
export type PersonReply = { readonly answer: PermissionAnswer } | { readonly problem: string } | 'unclear';

/**
 * Reads a reply. Accepts only the answers that the question offers. If the call could not be shown completely, the user
 * must type `unseen` instead of `y`.
 */
export function readReply(question: CallQuestion, typed: string): PersonReply {
  const text = typed.trim();
  if (/^no?$/i.test(text)) return { answer: 'denied' };
  const [, reason] = /^no?[\s,:]+(.+)$/is.exec(text) ?? [];
  if (reason !== undefined) return { answer: { decision: 'denied', reason } };
  const { unseen } = question.preview;
  if (unseen === undefined ? /^y(es)?$/i.test(text) : /^unseen$/i.test(text)) return { answer: 'allowed' };
  const [, word, grant = ''] = /^(a|always|p|project)(?:\s+(.+))?$/is.exec(text) ?? [];
  return word === undefined ? 'unclear' : readGrantReply(question, /^p/i.test(word) ? 'project' : 'session', grant);
}

/**
 * Reads a reply that requests a grant. If the call was not shown completely, no grant is accepted, because the user
 * would allow something that no one has seen.
 */
function readGrantReply({ offer, preview }: CallQuestion, keep: 'session' | 'project', text: string): PersonReply {
  if (preview.unseen !== undefined) return { problem: 'a call that was not shown completely can only be allowed once' };
  if (offer === undefined) return { problem: noOffer(preview.kind, text) };
  if (keep === 'project' && offer.call.effects === undefined)
    return { problem: 'a grant for every call of a tool applies to this session only: answer a' };
  if (keep === 'project' && !offer.project) return { problem: 'this project cannot store grants' };
  const always = readGrant(offer, text);
  return 'problem' in always ? always : { answer: { decision: 'allowed', always, keep } };
}

function noOffer(kind: CallQuestion['preview']['kind'], text: string): string {
  const reason = kind === 'command' && text !== '' ? patternProblem(text) : undefined;
  return reason ?? 'this call can only be allowed once: answer y or n';
}
