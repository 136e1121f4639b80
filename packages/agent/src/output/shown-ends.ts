// Parts of an output that a model may be shown. For the output of programs they are the text that a terminal shows.

import type { Secrets } from '../ports/secrets.ts';
import type { View } from './shape-output.ts';
import { openEnds } from './shape-output.ts';
import { isTerminalText, openTerminalText, terminalText } from './terminal-text.ts';

/** Collects the parts and sizes of an output, in the form in which a model is shown it. */
export interface ShownEnds {
  /** Adds a chunk, which must be well-formed UTF-8. */
  add(chunk: Uint8Array): void;
  /** Ends the output. */
  end(): {
    /** Parts and sizes of the text to show. */
    readonly view: View;
    /** Number of bytes that were added. */
    readonly bytes: number;
    /** True if the text to show differs from the added text. */
    readonly isChanged: boolean;
    /** True if a part of the output was overwritten, so that it is not shown. */
    readonly overwrote: boolean;
  };
}

/** Starts collecting. With `terminal`, the text to show is the text that a terminal shows. */
export function openShownEnds(terminal: boolean): ShownEnds {
  const ends = openEnds();
  const text = openTerminalText();
  let bytes = 0;
  let isChanged = false;
  return {
    add(chunk) {
      bytes += chunk.length;
      if (!terminal) return ends.add(chunk);
      const added = Buffer.from(chunk).toString();
      isChanged ||= !isTerminalText(added);
      ends.add(Buffer.from(text.push(added)));
    },
    end() {
      ends.add(Buffer.from(text.end()));
      return { view: ends.view(), bytes, isChanged, overwrote: text.overwrote };
    },
  };
}

/** Maximum number of characters of a line that is kept until it is complete. */
const LONGEST_LINE = 65_536;

/** Passes an output on. See `openJoinedSecrets`. */
interface JoinedSecrets {
  /** Returns the next complete lines. A line that is not complete is kept. */
  push(chunk: Uint8Array): Promise<Uint8Array>;
  end(): Promise<Uint8Array>;
}

/**
 * Passes the output of a program on unchanged, except for lines with a secret that control sequences divide. Such a
 * secret could not be found, but a terminal shows it. The control sequences are removed from these lines, so that the
 * secret is masked like any other.
 */
export function openJoinedSecrets({ mask }: Pick<Secrets, 'mask'>): JoinedSecrets {
  let pending = '';
  const isSafe = async (text: string): Promise<boolean> => {
    if (isTerminalText(text)) return true;
    // Most outputs contain no secret. They are masked only one more time.
    const plain = terminalText(text);
    if ((await mask(plain)) === plain) return true;
    const shown = terminalText(await mask(text));
    return (await mask(shown)) === shown;
  };
  const join = async (text: string): Promise<Uint8Array> => {
    if (await isSafe(text)) return Buffer.from(text);
    const lines: string[] = [];
    for (const line of text.split('\n')) lines.push((await isSafe(line)) ? line : terminalText(line));
    const joined = lines.join('\n');
    return Buffer.from((await isSafe(joined)) ? joined : terminalText(text));
  };
  return {
    async push(chunk) {
      const text = pending + Buffer.from(chunk).toString();
      const end = text.length - text.lastIndexOf('\n') > LONGEST_LINE ? text.length : text.lastIndexOf('\n') + 1;
      pending = text.slice(end);
      return join(text.slice(0, end));
    },
    async end() {
      const rest = pending;
      pending = '';
      return join(rest);
    },
  };
}
