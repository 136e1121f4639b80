// Prepares a draft for the session, in the same way as `tidemark run` prepares the words of its command line.

import type { GivenAttachment, Words } from '@tidemark/kit';

import { partsOf } from '../../arguments/named-files.ts';
import { takeSkills } from '../../arguments/skill-words.ts';
import type { Draft } from '../state/draft.ts';

/** Content of a prompt, and the names of the skills to load with it. */
export interface PreparedDraft {
  readonly parts: Exclude<Words, string>;
  readonly skills: readonly string[];
}

/**
 * Returns the parts of a draft: images, the text, the files that the text names with `@`, and the attachments. `extra`
 * contains attachments that were kept for the next prompt, such as the output of a command of the user.
 */
export async function prepareDraft(
  { text, attached }: Draft,
  extra: readonly GivenAttachment[],
  workspace: string,
): Promise<PreparedDraft> {
  const { words, skills } = takeSkills(text.trim());
  // Images come before the text, because models understand a prompt best in this order.
  const images = attached.filter((one) => one.type === 'image');
  const attachments = attached.filter((one) => one.type === 'attachment');
  const named = words === '' ? [] : await partsOf(words, workspace);
  return { parts: [...images, ...named, ...extra, ...attachments], skills };
}
