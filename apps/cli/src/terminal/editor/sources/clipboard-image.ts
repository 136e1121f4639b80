// Reads an image from the clipboard, through the program that the desktop has for it.

import { execFile } from 'node:child_process';

import { MAX_IMAGE_BYTES } from '../../../arguments/named-images.ts';
import type { CommandEnvironment } from '../../../frame/home.ts';

/** A program that prints the image of the clipboard. */
export interface ClipboardProgram {
  readonly program: string;
  readonly words: readonly string[];
  /** Converts the output to the bytes of the image. */
  read(output: Buffer): Uint8Array;
}

/** Result of reading the clipboard. `problem` is a sentence for the user. */
export type ClipboardResult = { readonly data: Uint8Array } | { readonly problem: string };

/** Runs a program and returns its output. `missing` is true if the program does not exist. */
export type ProgramRunner = (
  program: string,
  words: readonly string[],
) => Promise<{ readonly output: Buffer } | { readonly missing: boolean }>;

const TIMEOUT_MS = 10_000;

const asPrinted = (output: Buffer): Uint8Array => output;

/** AppleScript prints the bytes as `«data PNGf89504E47…»`. */
function fromAppleScript(output: Buffer): Uint8Array {
  const digits = /data PNGf([0-9A-F]+)/i.exec(output.toString('utf8'))?.[1] ?? '';
  return Buffer.from(digits, 'hex');
}

/** Returns the programs that can read the clipboard, in the order in which they are tried. */
export function clipboardPrograms(platform: string, environment: CommandEnvironment): readonly ClipboardProgram[] {
  if (platform === 'darwin')
    return [
      { program: 'pngpaste', words: ['-'], read: asPrinted },
      { program: 'osascript', words: ['-e', 'the clipboard as «class PNGf»'], read: fromAppleScript },
    ];
  const wayland = { program: 'wl-paste', words: ['--no-newline', '--type', 'image/png'], read: asPrinted };
  const x11 = { program: 'xclip', words: ['-selection', 'clipboard', '-t', 'image/png', '-o'], read: asPrinted };
  return [...(isSet(environment['WAYLAND_DISPLAY']) ? [wayland] : []), ...(isSet(environment['DISPLAY']) ? [x11] : [])];
}

/** Reads the image of the clipboard. Returns a problem if there is no image, or no program that can read it. */
export async function readClipboardImage(
  programs: readonly ClipboardProgram[],
  run: ProgramRunner = runProgram,
): Promise<ClipboardResult> {
  if (programs.length === 0)
    return { problem: 'no clipboard can be reached from this terminal; paste the path of an image file instead' };
  let found = false;
  for (const { program, words, read } of programs) {
    const result = await run(program, words);
    if ('output' in result) {
      const data = read(result.output);
      if (data.length > 0) return { data };
    }
    found ||= !('missing' in result) || !result.missing;
  }
  if (found) return { problem: 'the clipboard contains no image' };
  const names = programs.map(({ program }) => program).join(' or ');
  return { problem: `the clipboard cannot be read without ${names}; install it, or paste the path of an image file` };
}

const runProgram: ProgramRunner = (program, words) =>
  new Promise((resolve) => {
    const options = { encoding: 'buffer', maxBuffer: 2 * MAX_IMAGE_BYTES, timeout: TIMEOUT_MS } as const;
    execFile(program, [...words], options, (error, output) => {
      if (error === null) resolve({ output });
      else resolve({ missing: error.code === 'ENOENT' });
    });
  });

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
