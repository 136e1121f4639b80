// Reads a recorded prompt as a draft again: its words, its images, and the texts that went with it.

import { isImageNote, readArtifact } from '@tidemark/agent';
import type { GivenAttachment, GivenImage } from '@tidemark/kit';
import type { Artifacts, ContentPart, Digest } from '@tidemark/log';

import type { Draft } from '../state/draft.ts';
import { OUTPUT_NAME } from '../state/prompt-text.ts';

/** A recorded prompt as a draft. */
export interface RecordedDraft extends Draft {
  /** True if the output of a `!` command went with the prompt. The draft does not contain it. */
  readonly leftOutput: boolean;
  /** Names of the images and texts whose bytes could not be read. The draft does not contain them. */
  readonly missing: readonly string[];
}

/** Reads the parts of a prompt. The images have the bytes that the log stored, so they are the ones that the model saw. */
export async function recordedDraft(parts: readonly ContentPart[], artifacts: Artifacts): Promise<RecordedDraft> {
  const read = async (artifact: Digest): Promise<Uint8Array | undefined> =>
    readArtifact(artifacts, artifact).catch(() => undefined);
  const attached: (GivenImage | GivenAttachment)[] = [];
  const missing: string[] = [];
  let text: string | undefined;
  let leftOutput = false;
  for (const [index, part] of parts.entries()) {
    const before = parts[index - 1];
    if (part.type === 'image') {
      const data = await read(part.artifact);
      if (data === undefined) missing.push('an image');
      else attached.push({ type: 'image', data });
    } else if (part.type === 'text' && !isImageNote(part, before)) {
      const given = text === undefined ? undefined : attachmentOf(part.text);
      if (given === undefined) text = text === undefined ? part.text : `${text}\n${part.text}`;
      else if (given.name === OUTPUT_NAME) leftOutput = true;
      else {
        const whole = before?.type === 'file' && before.path === given.name ? before.artifact : undefined;
        const data = whole === undefined ? given.data : await read(whole);
        if (data === undefined) missing.push(given.name);
        else attached.push({ ...given, data });
      }
    }
  }
  return { text: text ?? '', attached, leftOutput, missing };
}

/** Returns the attachment that a text part contains, in the form in which the runtime records it. */
function attachmentOf(text: string): GivenAttachment | undefined {
  const [head, name] = /^([^\n]+) \(\d+ bytes\):\n/.exec(text) ?? [];
  return head === undefined || name === undefined
    ? undefined
    : { type: 'attachment', name, data: Buffer.from(text.slice(head.length)) };
}
