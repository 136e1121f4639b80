// What a person typed as the answer to a question about a call.

import type { CallQuestion } from '@tidemark/agent';
import { patternProblem, readGrant } from '@tidemark/agent';
import type { PermissionAnswer } from '@tidemark/kit';

/** An answer; a problem when a grant was refused; `unclear` when nothing that was offered was typed. */
export type PersonReply = { readonly answer: PermissionAnswer } | { readonly problem: string } | 'unclear';

/** Reads a reply. Only what the question offers is an answer: `y` is none where not all could be shown. */
export function readReply(question: CallQuestion, typed: string): PersonReply {
  const text = typed.trim();
  if (/^no?$/i.test(text)) return { answer: 'denied' };
  const [, words] = /^no?[\s,:]+(.+)$/is.exec(text) ?? [];
  if (words !== undefined) return { answer: { decision: 'denied', words } };
  const { unseen } = question.preview;
  if (unseen === undefined ? /^y(es)?$/i.test(text) : /^unseen$/i.test(text)) return { answer: 'allowed' };
  const [, word, grant = ''] = /^(a|always|p|project)(?:\s+(.+))?$/is.exec(text) ?? [];
  return word === undefined ? 'unclear' : readGrantReply(question, /^p/i.test(word) ? 'project' : 'session', grant);
}

/** A call that was not shown whole takes no grant: a grant would be the shorter way past what nobody saw. */
function readGrantReply({ offer, preview }: CallQuestion, keep: 'session' | 'project', text: string): PersonReply {
  if (preview.unseen !== undefined) return { problem: 'no grant is taken for a call that was not shown whole' };
  if (offer === undefined) return { problem: noOffer(preview.kind, text) };
  if (keep === 'project' && !offer.project) return { problem: 'no grants are kept for this project' };
  const always = readGrant(offer, text);
  return 'problem' in always ? always : { answer: { decision: 'allowed', always, keep } };
}

function noOffer(kind: CallQuestion['preview']['kind'], text: string): string {
  const reason = kind === 'command' && text !== '' ? patternProblem(text) : undefined;
  return reason ?? 'no grant covers this call: allow it once, or refuse';
}
