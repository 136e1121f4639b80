// Which layers and tools of a new front are edits of ones that were sent before, and how much of them is new. The record of the
// epoch holds it, so that every later forecast counts alike (L9).

import type { Digest, EpochOpened, FrontEdit } from '@tidemark/log';
import type { FrontTexts, State } from '@tidemark/context';
import { editOf } from '@tidemark/context';

/** One layer or tool of a front. */
interface NamedText {
  readonly name: string;
  readonly digest: Digest;
  readonly text: string;
}

/**
 * The edits of a front that is about to replace the one in force. `load` reads the texts of that one; it is called only where
 * something differs. None for a first front.
 */
export async function frontEdits(
  { epoch, cache: { front: sent } }: State,
  texts: FrontTexts,
  load: (opened: EpochOpened) => Promise<FrontTexts>,
): Promise<readonly FrontEdit[]> {
  if (epoch === undefined) return [];
  const { opened } = epoch;
  const unsent = namedIn(texts).filter(({ digest }) => !sent.has(digest));
  if (unsent.length === 0) return [];
  // Texts that cannot be read any more say nothing: the front then counts as new.
  const held = await load(opened).catch(() => undefined);
  if (held === undefined) return [];
  const before = new Map(namedIn(held).map((one) => [one.name, one]));
  return unsent.flatMap(({ name, digest, text }) => {
    const was = before.get(name);
    const edit = was && editFrom(was, { sent, opened, digest, text });
    return edit === undefined ? [] : [edit];
  });
}

/** What was never accepted itself is as new as its own edit said, and what the text now adds to it. */
function editFrom(
  was: NamedText,
  { sent, opened, digest, text }: { sent: ReadonlySet<string>; opened: EpochOpened; digest: Digest; text: string },
): FrontEdit | undefined {
  const earlier = opened.edits?.find((edit) => edit.digest === was.digest);
  if (!sent.has(was.digest) && earlier === undefined) return undefined;
  if (was.digest === digest) return earlier;
  const { tokens, begins } = editOf(was.text, text);
  if (earlier === undefined || sent.has(was.digest)) return { digest, tokens, begins };
  return { digest, tokens: tokens + earlier.tokens, begins: Math.min(begins, earlier.begins) };
}

function namedIn({ tools, layers }: FrontTexts): readonly NamedText[] {
  return [
    ...tools.map(({ record: { name, digest }, definition }) => ({ name: `tool ${name}`, digest, text: definition })),
    ...layers.map(({ record: { name, digest }, text }) => ({ name: `layer ${name}`, digest, text })),
  ];
}
