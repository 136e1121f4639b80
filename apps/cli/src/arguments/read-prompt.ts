// Reads the prompt of a command line. The prompt consists of words, of piped input, or of both.

import { isUtf8 } from 'node:buffer';

import type { GivenAttachment } from '@tidemark/kit';
import { imageKind } from '@tidemark/model';

import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { withStyle } from '../frame/shown.ts';

/** Word that means the piped input. */
const PIPED = '-';

/** Maximum size of the piped input, in bytes. The whole input is in memory. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Text of a prompt, and its attachments. */
export interface SaidPrompt {
  readonly words: string;
  readonly attachments: readonly GivenAttachment[];
}

/** Parts of the command line that determine the prompt. */
export interface PromptLine {
  readonly words: readonly string[];
  /** True if the piped input is an image, as with `--image -`. */
  readonly imagePiped: boolean;
}

/**
 * Reads the prompt. Without words, or with `-` as the only word, the piped input is the prompt. With other words, the
 * piped input is an attachment.
 *
 * @throws CliError `cli/usage` when the prompt is empty.
 * @throws CliError `cli/refused` when the piped input is not text, or is too large.
 */
export async function readPrompt({ words, imagePiped }: PromptLine, context: CommandContext): Promise<SaidPrompt> {
  const { input } = context;
  const alone = words.length === 0 || (words.length === 1 && words[0] === PIPED);
  if (alone) {
    const piped = input.piped && !imagePiped ? requireText(await input.bytes(MAX_BYTES)) : undefined;
    return { words: requireWords(piped?.toString() ?? ''), attachments: [] };
  }
  const prompt = requireWords(words.join(' '));
  if (!input.piped || imagePiped) return { words: prompt, attachments: [] };
  const data = requireText(await input.along(MAX_BYTES, context.signal));
  if (data.length === 0) return { words: prompt, attachments: [] };
  if (context.output.watched)
    context.output.note([
      withStyle('yellow', 'notice'),
      `: stdin is the piped input (${data.length} bytes), so no question can be asked; every call that needs approval is denied`,
    ]);
  return { words: prompt, attachments: [{ type: 'attachment', name: 'stdin', data }] };
}

function requireWords(text: string): string {
  if (text.trim() === '')
    throw new CliError('cli/usage', 'the prompt is empty', 'add a prompt: `tidemark "fix the failing test"`');
  return text.trim();
}

function requireText(bytes: Uint8Array): Buffer {
  const data = Buffer.from(bytes);
  if (data.length > MAX_BYTES)
    throw new CliError(
      'cli/refused',
      `the piped input is larger than the maximum of ${MAX_BYTES} bytes`,
      'write it to a file in the folder and name the file in the prompt: `tidemark "explain @build.log"`',
    );
  if (imageKind(data) !== undefined)
    throw new CliError('cli/refused', 'the piped input is an image', 'add `--image -`');
  if (data.includes(0) || !isUtf8(data))
    throw new CliError(
      'cli/refused',
      `the piped input is binary, or text that is not UTF-8 (${data.length} bytes)`,
      'pipe UTF-8 text, converted with `iconv`, `strings` or `xxd` if needed, or name a file with @',
    );
  return data;
}
