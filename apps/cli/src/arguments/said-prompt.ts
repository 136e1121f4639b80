// What a line says to the model: its words, what is piped in next to them, or what is piped in alone.

import { isUtf8 } from 'node:buffer';

import type { GivenAttachment } from '@tidemark/kit';
import { imageKind } from '@tidemark/model';

import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { withStyle } from '../frame/shown.ts';

/** The word that stands for what is piped in. */
const PIPED = '-';

/** Most bytes that are taken in: they stand in memory whole. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A prompt in words, and what comes along with it. */
export interface SaidPrompt {
  readonly words: string;
  readonly attachments: readonly GivenAttachment[];
}

/** What of a line says something. */
export interface PromptLine {
  readonly words: readonly string[];
  /** An image is what is piped in. */
  readonly imagePiped: boolean;
}

/**
 * Reads the prompt. What is piped in is the prompt where there are no words, or `-` alone; next to words it comes along.
 *
 * @throws CliError `cli/usage` where nothing is said; `cli/refused` for what is piped in and is no text, or too much.
 */
export async function readPrompt({ words, imagePiped }: PromptLine, context: CommandContext): Promise<SaidPrompt> {
  const { input } = context;
  const alone = words.length === 0 || (words.length === 1 && words[0] === PIPED);
  if (alone) {
    const piped = input.piped && !imagePiped ? requireText(await input.bytes(MOST_BYTES)) : undefined;
    return { words: requireWords(piped?.toString() ?? ''), attachments: [] };
  }
  const said = requireWords(words.join(' '));
  if (!input.piped || imagePiped) return { words: said, attachments: [] };
  const data = requireText(await input.along(MOST_BYTES, context.signal));
  if (data.length === 0) return { words: said, attachments: [] };
  if (context.output.watched)
    context.output.note([
      withStyle('yellow', 'notice'),
      `: stdin is what is piped in (${data.length} bytes), so no question can be asked: what would be asked is denied`,
    ]);
  return { words: said, attachments: [{ type: 'attachment', name: 'stdin', data }] };
}

function requireWords(said: string): string {
  if (said.trim() === '')
    throw new CliError('cli/usage', 'there is no prompt', 'say what to do: `tidemark "fix the failing test"`');
  return said.trim();
}

function requireText(bytes: Uint8Array): Buffer {
  const data = Buffer.from(bytes);
  if (data.length > MOST_BYTES)
    throw new CliError(
      'cli/refused',
      `more than ${MOST_BYTES} bytes are piped in`,
      'write them to a file of the folder, and name it in the prompt: `tidemark "explain @build.log"`',
    );
  if (imageKind(data) !== undefined)
    throw new CliError('cli/refused', 'what is piped in is an image', 'say so: `--image -`');
  if (data.includes(0) || !isUtf8(data))
    throw new CliError(
      'cli/refused',
      `what is piped in is binary, or text that is not UTF-8 (${data.length} bytes)`,
      'pipe UTF-8 text, through `iconv`, `strings` or `xxd` where needed; or name a file with @',
    );
  return data;
}
