// `output_read` tool: shows an output page by page if it was too long to be shown completely. The full text of a
// shortened output remains readable (L6).

import type { Tool, ToolContext, ToolOutput } from '@tidemark/agent';
import { openTerminalText } from '@tidemark/agent';
import { z } from 'zod';
import { argumentsOf, isProblem } from '../door/arguments.ts';
import { describePage, joinPage, requireLines } from '../page/describe-page.ts';
import { fitPage } from '../page/fit-page.ts';
import { PAGE_LINES, startPage } from '../page/take-page.ts';
import type { PageRequest, RawPage } from '../page/take-page.ts';
import { WorkspaceError } from '../workspace-error.ts';

const ARGUMENTS = argumentsOf(
  z.strictObject({
    output: z
      .string()
      .regex(/^[0-9a-f]{12,64}$/)
      .describe('Digest that the result names, or at least its first 12 characters'),
    offset: z.int().min(1).optional().describe('First line to read, from 1'),
    limit: z.int().min(1).optional().describe('Number of lines. Default and maximum: 2000'),
    skip_bytes: z.int().min(0).optional().describe('Bytes to skip at the start of that line'),
  }),
);

const DESCRIPTION =
  'Reads the full output of an earlier call whose result was shortened, at most 2000 lines or 48 KiB a page; its last line, in brackets, tells how to read on. To read a file, use read.';

/**
 * Creates the tool `output_read`, with effect class `none`. It reads outputs that are recorded in the session's own
 * log. It reads no files.
 */
export function createOutputReadTool(): Tool {
  return {
    name: 'output_read',
    description: DESCRIPTION,
    schema: ARGUMENTS.schema,
    earlier: ['4a9821cfaef6caccf1e893722eb89c317eb94cf853df2c5bc535fdbdec8ff297'],
    effect: 'none',
    read(input) {
      const asked = ARGUMENTS.read(input);
      if (isProblem(asked)) return asked;
      const request = {
        offset: asked.offset ?? 1,
        limit: Math.min(asked.limit ?? PAGE_LINES, PAGE_LINES),
        skipBytes: asked.skip_bytes ?? 0,
      };
      return {
        title: `output_read ${asked.output.slice(0, 12)}`,
        run: (context) => readOutput(asked.output, request, context),
      };
    },
  };
}

async function readOutput(name: string, request: PageRequest, context: ToolContext): Promise<ToolOutput> {
  const output = context.output(name);
  if (output === undefined) throw unknown(name);
  const page = startPage(request);
  for await (const chunk of output) {
    context.signal.throwIfAborted();
    page.take(chunk);
  }
  const shown = `output ${name.slice(0, 12)}`;
  requireLines(page.finish(), shown);
  return { page: fitPage(page, (raw) => shownPage(raw, shown)) };
}

/** Returns the text of a page as a terminal shows it. A line stays one line, so the numbers of lines do not change. */
function shownPage(raw: RawPage, shown: string): string {
  const { text: written, notes } = describePage(raw, shown);
  const terminal = openTerminalText();
  const text = terminal.push(written) + terminal.end();
  const left = terminal.overwrote ? ['text that the program overwrote, such as a progress bar, is left out'] : [];
  return joinPage({ text, notes: [...left, ...notes] });
}

function unknown(name: string): WorkspaceError {
  return new WorkspaceError(
    'workspace/no-output',
    `${name} is the beginning of no digest of an output in this session, or of several. Copy the complete digest from the result that names it.`,
    { output: name },
  );
}
