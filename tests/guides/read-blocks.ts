// Fenced blocks of a page: an `sh` block contains commands to run, and the `text` block after it contains their output.

/** One fenced block. */
export interface Block {
  /** Text after the opening fence, usually the language. */
  readonly language: string;
  /** Line number of the first content line, counted from 1. */
  readonly line: number;
  readonly lines: readonly string[];
}

/** Commands of a page, and the output that the page shows for them. */
export interface Exercise {
  /** Line number of the first command, counted from 1. */
  readonly line: number;
  /** Arguments of `tidemark`, for each command. */
  readonly commands: readonly (readonly string[])[];
  /** Lines of the `text` block after the commands. Undefined if another block or no block follows. */
  readonly shown: readonly string[] | undefined;
}

/** Returns all fenced blocks of a page, in order. */
export function blocksIn(page: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { readonly language: string; readonly line: number; readonly lines: string[] } | undefined;
  page.split('\n').forEach((text, index) => {
    const fence = /^```(.*)$/.exec(text);
    if (fence === null) open?.lines.push(text);
    else if (open === undefined) open = { language: (fence[1] ?? '').trim(), line: index + 2, lines: [] };
    else {
      blocks.push(open);
      open = undefined;
    }
  });
  if (open !== undefined) throw new Error(`the block that begins at line ${open.line} is never closed`);
  return blocks;
}

/** Returns the exercises of a page in order: each `sh` block, with the `text` block that follows it. */
export function exercisesIn(page: string): readonly Exercise[] {
  const blocks = blocksIn(page);
  return blocks.flatMap((block, index) => {
    if (block.language !== 'sh') return [];
    const next = blocks[index + 1];
    const commands = block.lines.filter((line) => line.trim() !== '').map((line) => argumentsOf(line, block.line));
    return [{ line: block.line, commands, shown: next?.language === 'text' ? next.lines : undefined }];
  });
}

const COMMAND = 'npx tidemark ';

function argumentsOf(line: string, at: number): readonly string[] {
  if (!line.startsWith(COMMAND))
    throw new Error(`the block at line ${at} contains a command other than tidemark: ${line}`);
  return line.slice(COMMAND.length).trim().split(/\s+/);
}
