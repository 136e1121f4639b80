// Parts of a file that contains its data. Each part is read when it is first needed, and then kept.

import type { FileIndex, FileParts } from '../../src/file/file-data.ts';

/** Parts of one session. Each function reads its part once. */
export type ReadParts = { readonly [Name in keyof FileParts]: () => Promise<FileParts[Name]> };

/** A file with the data of one or more sessions. */
export interface SessionFile {
  readonly index: FileIndex;
  /** Returns the parts of a session, by the number of the session in the index. */
  parts(session: number): ReadParts;
}

/** Returns the text of the element with an id, or `undefined` if there is none. */
export type ElementText = (id: string) => string | undefined;

/** Opens the file that a page is. Returns `undefined` if the page contains no data, so it has a server. */
export async function openFile(textOf: ElementText): Promise<SessionFile | undefined> {
  if (textOf('tidemark-index') === undefined) return undefined;
  const index: FileIndex = await readPart(textOf, 'tidemark-index');
  const sessions = index.sessions.map((_, number): ReadParts => ({
    calls: once(() => readPart(textOf, `tidemark-${number}-calls`)),
    requests: once(() => readPart(textOf, `tidemark-${number}-requests`)),
    conversation: once(() => readPart(textOf, `tidemark-${number}-conversation`)),
    texts: once(() => readPart(textOf, `tidemark-${number}-texts`)),
  }));
  return {
    index,
    parts(number) {
      const found = sessions[number];
      if (found === undefined) throw new RangeError(`the file has no session ${number}`);
      return found;
    },
  };
}

function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined;
  return () => {
    reading ??= read();
    return reading;
  };
}

async function readPart<Value>(textOf: ElementText, name: string): Promise<Value> {
  const content = textOf(name);
  if (content === undefined) throw new Error(`the file is damaged: it has no part ${name}`);
  const text = atob(content);
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const value: Value = JSON.parse(await new Response(stream).text());
  return value;
}
