// Connection to the server: the token of this tab, and the client. The token is kept for the tab, so it survives a
// reload. It is never in an address or a cookie. A file that contains its data has no server and needs no token.

import { signal } from '@preact/signals';
import type { SessionClient } from '@tidemark/client';
import { answerOf, createSessionClient, RequestError } from '@tidemark/client';
import { createFileFetch } from './file/file-answers.ts';
import type { SessionFile } from './file/file-parts.ts';
import { openFile } from './file/file-parts.ts';
import { keepAddress } from './route.ts';

const PLACE = 'tidemark-token';

/** Client of the server, or `undefined` while the tab has no token. */
export const client = signal<SessionClient | undefined>(undefined);
/** File that this page is. `undefined` if the page is from a server. */
export const file = signal<SessionFile | undefined>(undefined);
/** Reason why the tab has no token. */
export const refusal = signal('');

/** Uses a token for this tab. */
export function useToken(token: string): void {
  sessionStorage.setItem(PLACE, token);
  refusal.value = '';
  client.value = createSessionClient({ url: location.origin, token });
}

/** Gives up the token, after the server refused it. */
export function leave(reason: string): void {
  sessionStorage.removeItem(PLACE);
  client.value = undefined;
  refusal.value = reason;
}

/** Opens the file that this page is, exchanges the code in the address for the token, or uses the token of the tab. */
export async function enter(): Promise<void> {
  const opened = await openFile((id) => document.getElementById(id)?.textContent);
  if (opened !== undefined) {
    file.value = opened;
    // The address is only a name: all requests are answered from the file.
    client.value = createSessionClient({ url: 'file-data://session', fetch: createFileFetch(opened) });
    return;
  }
  const code = /^#code=(.+)$/.exec(location.hash)?.[1];
  if (code !== undefined) {
    // The code must not stay in the history of the browser.
    keepAddress('#/');
    try {
      const { token } = await answerOf(createSessionClient({ url: location.origin }).POST('/link', { body: { code } }));
      return useToken(token);
    } catch (error) {
      refusal.value = textOf(error);
    }
  }
  const kept = sessionStorage.getItem(PLACE);
  if (kept !== null) useToken(kept);
}

/** Returns the text of an error with its next step. Leaves the connection if the token is wrong. */
export function textOf(error: unknown): string {
  if (!(error instanceof RequestError)) return error instanceof Error ? error.message : String(error);
  const text = [error.message, error.next].filter((part) => part !== '').join('. Next: ');
  if (error.status === 401) leave(text);
  return text;
}
