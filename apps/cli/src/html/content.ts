// Renders message content as markup: text, and pictures embedded in the file.

import { readArtifact } from '@tidemark/agent';
import type { Artifacts, ContentPart, Digest, ImagePart } from '@tidemark/log';
import { LogError } from '@tidemark/log';

import { plainSize } from '../frame/plain-size.ts';
import type { Markup } from './markup.ts';
import { markup } from './markup.ts';

/** Image types that a browser displays and that cannot run code. */
const SHOWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Renders the parts of a prompt or of a result. `pre` keeps columns and spaces, as a terminal does. */
export async function contentOf(
  artifacts: Artifacts,
  parts: readonly ContentPart[],
  as: 'words' | 'pre',
): Promise<readonly Markup[]> {
  const shown: Markup[] = [];
  for (const part of parts) {
    if (part.type === 'image') shown.push(await imageOf(artifacts, part));
    else if (part.type === 'file') shown.push(markup`<p class="line">file <code>${part.path}</code></p>`);
    else shown.push(as === 'pre' ? preOf(part.text) : wordsOf(part.text));
  }
  return shown;
}

/** Renders ordinary text, which is not preformatted. */
export function wordsOf(text: string): Markup {
  return markup`<div class="words" dir="auto">${text}</div>`;
}

/**
 * Renders preformatted text. HTML drops a newline directly after `<pre>`. A newline is therefore added before the text,
 * so that a newline at the start of the text is kept.
 */
export function preOf(text: string): Markup {
  return markup`<pre dir="auto">\n${text === '' ? '(empty)' : text}</pre>`;
}

async function imageOf(artifacts: Artifacts, { artifact, mediaType, bytes }: ImagePart<Digest>): Promise<Markup> {
  const what = `${mediaType}, ${plainSize(bytes)}`;
  if (!SHOWN.has(mediaType)) return missing(`${what}: artifact ${artifact}`);
  try {
    const data = Buffer.from(await readArtifact(artifacts, artifact)).toString('base64');
    return markup`<img alt="${what}" src="data:${mediaType};base64,${{ html: data }}" />`;
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    return missing(`${what}: ${error.message}`);
  }
}

function missing(words: string): Markup {
  return markup`<p class="line bad">${words}</p>`;
}
