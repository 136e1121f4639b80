// Texts that a search found, as excerpts with marked words. The texts are read from the logs, so that the database of
// the analytics needs no copy of them.

import type { Secrets } from '@tidemark/agent';
import type { FoundSessions, RecordTexts, SearchTerm, SessionMatches, TextExcerpt } from '@tidemark/analytics';
import { excerptOf, parseSearch, recordTexts } from '@tidemark/analytics';
import type { Log } from '@tidemark/log';
import { LogError, sessionId } from '@tidemark/log';

/** Answer of a search. */
export interface FoundTexts {
  readonly sessions: readonly SessionWithTexts[];
  /** True if more sessions have a match. */
  readonly more: boolean;
}

/** Session with its last matches. */
export interface SessionWithTexts extends Omit<SessionMatches, 'places'> {
  readonly texts: readonly FoundText[];
}

/** Text that matches, with the step of the first call that contained it. */
export interface FoundText extends TextExcerpt {
  readonly position: number;
  readonly step: number | null;
  readonly request: number | null;
  readonly kind: keyof RecordTexts;
}

/** Reads the texts of the matches of a search. */
export async function readFoundTexts(
  log: Log,
  mask: Secrets['mask'],
  search: string,
  { sessions, more }: FoundSessions,
): Promise<FoundTexts> {
  const terms = parseSearch(search);
  const shown: SessionWithTexts[] = [];
  for (const { places, title, ...session } of sessions) {
    const texts: FoundText[] = [];
    for (const place of places) {
      const found = await readText(log, mask, terms, session.session, place.position);
      if (found !== undefined) texts.push({ ...place, ...found });
    }
    shown.push({ ...session, title: title === null ? null : await mask(title), texts });
  }
  return { sessions: shown, more };
}

const KINDS = ['title', 'prompt', 'answer', 'files'] as const;

/** Returns the excerpt of a record. `undefined` if the record does not exist any more. */
async function readText(
  log: Log,
  mask: Secrets['mask'],
  terms: readonly SearchTerm[],
  session: string,
  position: number,
): Promise<Pick<FoundText, 'kind' | 'parts'> | undefined> {
  const texts = await textsAt(log, session, position);
  if (texts === undefined) return undefined;
  let first: Pick<FoundText, 'kind' | 'parts'> | undefined;
  for (const kind of KINDS) {
    if (texts[kind] === '') continue;
    const text = await mask(texts[kind]);
    const excerpt = excerptOf(text, terms);
    if (excerpt !== undefined) return { kind, ...excerpt };
    // The words that were found can be a part of a secret.
    first ??= { kind, parts: [text.slice(0, 80)] };
  }
  return first;
}

async function textsAt(log: Log, session: string, position: number): Promise<RecordTexts | undefined> {
  try {
    // Only an import has files in its answers. They are shown only if they match.
    for await (const record of log.read(sessionId(session), position, position + 1)) return recordTexts(record, true);
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
  }
  return undefined;
}
