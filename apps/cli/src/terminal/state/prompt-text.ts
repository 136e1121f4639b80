// Text of a recorded prompt as the conversation shows it. The output of a command of the user was printed before, so it
// is one line here.

import type { ContentPart } from '@tidemark/log';

/** Name of the attachment with the output of a command that the user ran with `!`. The model sees it. */
export const OUTPUT_NAME = 'Output of a command that the user ran with "!"';

/** Line before the command line in the attachment. */
export const OUTPUT_COMMAND = 'Command: ';

/** Line before the output in the attachment. */
export const OUTPUT_BEGIN = 'Output:';

/** Returns the text of the parts of a prompt. */
export function promptText(parts: readonly ContentPart[]): string {
  return parts.flatMap((part, index) => textOf(part, index > 0)).join('\n');
}

/** Returns the text parts of a prompt, joined by line breaks, without the outputs of commands that follow its words. */
export function withoutOutputs(text: string): string {
  const begin = text.indexOf(`\n${OUTPUT_NAME} (`);
  return begin === -1 ? text : text.slice(0, begin);
}

function textOf(part: ContentPart, follows: boolean): readonly string[] {
  if (part.type === 'file') return part.path === OUTPUT_NAME ? [] : [`[file ${part.path}]`];
  if (part.type !== 'text') return [`[${part.mediaType}]`];
  // The words of the user are the first text, so they are always shown.
  return [(follows ? outputLine(part.text) : undefined) ?? part.text];
}

/** Returns the line for the output of a command. Returns `undefined` for another text. */
function outputLine(text: string): string | undefined {
  if (!text.startsWith(`${OUTPUT_NAME} (`)) return undefined;
  const [head = '', ...lines] = text.split('\n');
  const command = lines.find((line) => line.startsWith(OUTPUT_COMMAND))?.slice(OUTPUT_COMMAND.length);
  if (command === undefined) return undefined;
  const begin = lines.indexOf(OUTPUT_BEGIN);
  const before = lines.slice(0, begin + 1).reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  const whole = Number(/\((\d+) bytes\):$/.exec(head)?.[1] ?? 0);
  return `[output of ${command}: ${begin === -1 ? 0 : Math.max(0, whole - before)} bytes]`;
}
