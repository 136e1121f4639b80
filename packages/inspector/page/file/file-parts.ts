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

/** Opens the file that this page is. Returns `undefined` if the page contains no data, so it has a server. */
export async function openFile(page: Document): Promise<SessionFile | undefined> {
  if (page.querySelector('#tidemark-index') === null) return undefined;
  const index: FileIndex = await readPart(page, 'tidemark-index');
  const sessions = index.sessions.map((_, number): ReadParts => ({
    calls: once(() => readPart(page, `tidemark-${number}-calls`)),
    requests: once(() => readPart(page, `tidemark-${number}-requests`)),
    conversation: once(() => readPart(page, `tidemark-${number}-conversation`)),
    texts: once(() => readPart(page, `tidemark-${number}-texts`)),
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

async function readPart<Value>(page: Document, name: string): Promise<Value> {
  const element = page.querySelector(`#${name}`);
  if (element === null) throw new Error(`the file is damaged: it has no part ${name}`);
  const text = atob(element.textContent);
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const value: Value = await new Response(stream).json();
  return value;
}
