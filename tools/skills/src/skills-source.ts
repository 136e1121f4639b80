// The context source `skills`. When a session begins and after a compaction, its note contains the whole list of
// installed skills. Otherwise the note contains only the changes. The texts come from a folder, so they are in a note
// with the user's role and never in the system text.

import { createHash } from 'node:crypto';
import type { ContextSource } from '@tidemark/agent';
import type { InstalledSkills } from './skill-shelf.ts';

/** Maximum number of bytes of the note that are inline. The longest list and its heading are smaller than this. */
const INLINE = 8_192;

/** Maximum number of earlier lists that are stored to find changes. */
const MAX_KNOWN = 64;

const LEFT_OUT = /^And \d+ more/;

/**
 * Creates the context source for the skills of a shelf. Normally the note contains only the changes of the list. If
 * this process does not know the list in the last note, the new note contains the whole list.
 */
export function skillsSource(shelf: InstalledSkills): ContextSource {
  const known = new Map<string, readonly string[]>();
  return {
    name: 'skills',
    inlineBytes: INLINE,
    tellsChanges: true,
    async revision() {
      await shelf.look();
      const { index } = shelf;
      if (index === undefined) return undefined;
      const revision = createHash('sha256').update(index).digest('hex').slice(0, 12);
      known.delete(revision);
      known.set(revision, entriesOf(index));
      for (const oldest of known.keys()) if (known.size > MAX_KNOWN) known.delete(oldest);
      return revision;
    },
    render({ noted }, cause) {
      const { index = '' } = shelf;
      const before = cause === 'changed' && noted !== undefined ? known.get(noted) : undefined;
      if (before !== undefined) return difference(before, entriesOf(index));
      return cause === 'changed' ? `This list replaces the earlier list.\n${index}` : index;
    },
    affectedBy: ({ effect }) => effect === 'write' || effect === 'execute',
  };
}

/**
 * Returns the changes between two lists. If a skill no longer fits into the list, it is reported as no longer in the
 * list. It is not reported as removed, because `skill_search` still finds it.
 */
function difference(before: readonly string[], now: readonly string[]): string {
  const [listed, names] = [new Set(before), new Set(before.map(nameOf))];
  const fresh = now.filter((line) => !listed.has(line) && !LEFT_OUT.test(line));
  const kept = new Set(now.map(nameOf));
  const gone = before.filter((line) => !LEFT_OUT.test(line) && !kept.has(nameOf(line))).map(nameOf);
  const leftOut = now.filter((line) => LEFT_OUT.test(line) && !listed.has(line));
  return [
    ...underHeading('New skills:', fresh, (line) => !names.has(nameOf(line))),
    ...underHeading('Skills with a changed description:', fresh, (line) => names.has(nameOf(line))),
    ...(gone.length === 0 ? [] : [`No longer in the list: ${gone.join(', ')}.`]),
    ...leftOut,
  ].join('\n');
}

function underHeading(
  heading: string,
  lines: readonly string[],
  belongs: (line: string) => boolean,
): readonly string[] {
  const below = lines.filter(belongs);
  return below.length === 0 ? [] : [heading, ...below];
}

function entriesOf(index: string): readonly string[] {
  return index.split('\n').filter((line) => line.startsWith('- ') || LEFT_OUT.test(line));
}

function nameOf(line: string): string {
  return /^- ([a-z0-9-]+):/.exec(line)?.[1] ?? line;
}
