// The context source `skills`: what was installed, changed or removed since the front was made, which lists what there was
// then. So a new skill costs its own line, and no epoch.

import { createHash } from 'node:crypto';
import type { ContextSource, SourceView } from '@tidemark/agent';
import type { InstalledSkills } from './skill-shelf.ts';

const NOTHING = 'as listed';
const LEFT_OUT = /^And \d+ more/;
/** What a front adds to the entry of a body that it holds. */
const MARK = /^(- [a-z0-9-]+) \[preloaded\](?=:)/gm;

/** Says nothing while the list in the front holds. */
export function skillsSource(shelf: InstalledSkills): ContextSource {
  return {
    name: 'skills',
    async revision(view) {
      await shelf.look();
      const text = await difference(shelf, view);
      if (text !== '') return createHash('sha256').update(text).digest('hex').slice(0, 12);
      return view.noted === undefined ? undefined : NOTHING;
    },
    render: async (view) => (await difference(shelf, view)) || 'The list of skills at the beginning holds.',
    affectedBy: ({ effect }) => effect === 'write' || effect === 'execute',
  };
}

async function difference(shelf: InstalledSkills, view: SourceView): Promise<string> {
  const front = await view.layer('skills');
  // Before the first epoch there is no list that could be outdated; it will be made from what is there then.
  if (front === undefined) return '';
  const listed = new Set(front.replaceAll(MARK, '$1').split('\n').filter(isEntry));
  const now = (shelf.index ?? '').split('\n').filter(isEntry);
  const before = new Set([...listed].filter((line) => !LEFT_OUT.test(line)).map(nameOf));
  const known = (name: string): boolean => before.has(name);
  const fresh = now.filter((line) => !listed.has(line) && !LEFT_OUT.test(line));
  const gone = [...before].filter((name) => shelf.find(name) === undefined);
  const unlisted = now.some((line) => LEFT_OUT.test(line) && !listed.has(line));
  return [
    ...said(
      'Installed since, and to be loaded like those of the list:',
      fresh.filter((line) => !known(nameOf(line))),
    ),
    ...said(
      'Now listed as:',
      fresh.filter((line) => known(nameOf(line))),
    ),
    ...(gone.length === 0 ? [] : [`Not installed any more: ${gone.join(', ')}.`]),
    ...(unlisted && fresh.length === 0 && gone.length === 0
      ? ['Which skills there are beyond the list has changed: find them with skill_search.']
      : []),
  ].join('\n');
}

function said(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [heading, ...lines];
}

function isEntry(line: string): boolean {
  return line.startsWith('- ') || LEFT_OUT.test(line);
}

function nameOf(line: string): string {
  return /^- ([a-z0-9-]+):/.exec(line)?.[1] ?? line;
}
