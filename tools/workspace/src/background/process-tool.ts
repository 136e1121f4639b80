// `process` tool: reads the output of a background process, sends input to it, or stops it. `bash` starts processes.

import type { CallEffects, Tool, ToolContext, ToolOutput, ToolPreview, ToolProblem, ToolRun } from '@tidemark/agent';
import { z } from 'zod';
import { shortCommand } from '../bash/describe-end.ts';
import { showName } from '../confine/show-name.ts';
import { argumentsOf, isProblem } from '../door/arguments.ts';
import { WorkspaceError } from '../workspace-error.ts';
import type { Background } from './create-background.ts';

const MAX_WAIT_SECONDS = 120;

/** Maximum size of an input in bytes. */
const MAX_INPUT = 64 * 1024;

const PROCESS = z.strictObject({
  process: z
    .string()
    .regex(/^p\d{1,9}$/)
    .describe('Id, such as p1'),
  action: z.enum(['read', 'write', 'stop']),
  input: z
    .string()
    .optional()
    .describe('For write: text to send; end a line with \\n. Without it, the input is closed'),
  wait_s: z.number().min(0).max(MAX_WAIT_SECONDS).optional().describe('For read: seconds to wait for new output'),
});

type ProcessInput = z.infer<typeof PROCESS>;

const processArguments = argumentsOf(PROCESS);

const DESCRIPTION =
  'Works with a background process that bash started: reads its output since the last read, writes to its input, or stops it.';

/** Creates the `process` tool. It asks no one for `read` and `stop`. A `write` counts as a call of `bash`. */
export function createProcessTool(background: Background): Tool {
  const writer = createWriter(background);
  const tool: Tool = {
    name: 'process',
    description: DESCRIPTION,
    schema: processArguments.schema,
    joins: 'next-epoch',
    effect: 'read',
    truncate: 'start',
    terminal: true,
    forward(input) {
      const asked = processArguments.read(input);
      return !isProblem(asked) && asked.action === 'write' ? { tool: writer, input } : { tool, input };
    },
    read(input): ToolRun | ToolProblem {
      const asked = processArguments.read(input);
      if (isProblem(asked)) return asked;
      return problemOf(asked) ?? runOf(background, asked);
    },
  };
  return tool;
}

function problemOf({ action, input, wait_s: wait }: ProcessInput): ToolProblem | undefined {
  if (action !== 'write' && input !== undefined) return { problem: '`input` belongs to the action write.' };
  if (action !== 'read' && wait !== undefined) return { problem: '`wait_s` belongs to the action read.' };
  const bytes = Buffer.byteLength(input ?? '');
  if (bytes > MAX_INPUT)
    return { problem: `An input of ${bytes} bytes is too long: the maximum is ${MAX_INPUT}. Send it in parts.` };
  return undefined;
}

function runOf(background: Background, { process, action, wait_s: wait = 0 }: ProcessInput): ToolRun {
  const title = `${action} ${process}${commandOf(background, process)}`;
  if (action === 'stop') return { title, run: (context) => background.stop(process, context) };
  return { title, run: (context) => background.read(process, wait * 1_000, context) };
}

function commandOf(background: Background, process: string): string {
  const found = background.find(process);
  return found === undefined ? '' : ` (${shortCommand(found.command)})`;
}

/**
 * Tool to which a write is forwarded. It has the name and the effect class of `bash`, so the rules and grants of `bash`
 * decide about it. A process may be a shell, and its input may then be any command. Therefore every deny rule on commands
 * matches, and no rule or grant for certain commands allows the call.
 */
function createWriter(background: Background): Tool {
  return {
    name: 'bash',
    description: DESCRIPTION,
    schema: processArguments.schema,
    effect: 'execute',
    alone: true,
    truncate: 'start',
    terminal: true,
    touches: ['structure', 'content'],
    effectKinds: ['commands'],
    read(input): ToolRun | ToolProblem {
      const asked = processArguments.read(input);
      if (isProblem(asked)) return asked;
      return problemOf(asked) ?? writeOf(background, asked);
    },
  };
}

function writeOf(background: Background, { process, input }: ProcessInput): ToolRun {
  const { shell } = background;
  const found = background.find(process);
  const beyond = shell.sandboxed && shell.network === 'off' && found?.reach.network === true ? ['the network'] : [];
  const effects: CallEffects = {
    commands: { plain: undefined, possible: [[undefined]] },
    ...(beyond.length > 0 && { beyond }),
  };
  return {
    title: `input for ${process}${commandOf(background, process)}: ${input === undefined ? 'end of input' : showName(input)}`,
    sandboxed: shell.sandboxed,
    confined: shell.sandboxed,
    beyond,
    effects,
    preview: async () => previewOf(found, process, input),
    run: (context: ToolContext): Promise<ToolOutput> => background.write(process, input, context),
  };
}

function previewOf(found: ReturnType<Background['find']>, process: string, input: string | undefined): ToolPreview {
  if (found?.running !== true)
    throw new WorkspaceError(
      'workspace/no-process',
      `${process} does not run, so nothing can be sent to it: start it with bash and background: true`,
      { process },
    );
  const text =
    input === undefined
      ? `closes the input of ${process}: ${found.command}`
      : `input for ${process}: ${found.command}\n${input}`;
  return { kind: 'command', text };
}
