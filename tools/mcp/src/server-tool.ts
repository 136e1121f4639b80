// A server's tool in the form that the runtime needs: its definition, the check of its arguments, and its call.

import type { Tool, ToolContext, ToolOutput, ToolProblem, ToolRun } from '@tidemark/agent';
import type { EffectClass } from '@tidemark/log';
import type { Definition } from './approvals.ts';
import { outputOf } from './call-result.ts';
import type { ArgumentCheck } from './check-arguments.ts';
import { ServerGone, ServerRefused } from './server-errors.ts';
import type { ServerLink } from './server-link.ts';

export interface ServerToolSpec {
  readonly link: ServerLink;
  /**
   * Current definition that the tool offers to the model. If it differs from `pinned`, the model sees it from the next
   * request in which a change of tools can be reported.
   */
  readonly definition: Definition;
  /** Definition that was shown to the model. Arguments are checked against this definition. */
  readonly pinned: Definition;
  /**
   * The server's own name for the tool. `undefined` if the tool cannot be called. In that case `why` contains the
   * reason.
   */
  readonly called: string | undefined;
  readonly why?: string;
}

/**
 * Time limits of a call in milliseconds. `PATIENCE_MS` limits the time without progress, unless the settings contain
 * another value. `LONGEST_MS` limits the total time.
 */
const PATIENCE_MS = 60_000;
const LONGEST_MS = 600_000;
/** Maximum number of characters of the arguments that are shown to the user in a permission question. */
const SHOWN_ARGUMENTS = 300;

/**
 * Makes the tool that the model sees. A call of this tool calls the server.
 *
 * @throws Error for an invalid schema of a tool that can be called.
 */
export function serverTool(spec: ServerToolSpec): Tool {
  const { definition, pinned, called, link } = spec;
  if (called === undefined)
    return { ...definition, effect: 'none', read: () => ({ problem: spec.why ?? unavailable(spec, link.trouble) }) };
  const check = link.checkerOf(pinned.schema);
  const read: Tool['read'] = (input) => readArguments(spec, called, check, input);
  return { ...definition, effect: effectOf(link, called), terminal: true, read };
}

/** Returns the effect class from the user's settings. The server's own declaration (`readOnlyHint`) is never used. */
function effectOf({ settings: { effect = 'execute' } }: ServerLink, tool: string): EffectClass {
  if (typeof effect === 'string') return effect;
  return Object.hasOwn(effect, tool) ? (effect[tool] ?? 'execute') : 'execute';
}

function readArguments(
  spec: ServerToolSpec,
  called: string,
  check: ArgumentCheck,
  input: unknown,
): ToolRun | ToolProblem {
  const { link, definition } = spec;
  if (typeof input !== 'object' || input === null)
    return { problem: 'The arguments are not an object. Call again with one JSON object.' };
  const wrong = check(input);
  if (wrong !== undefined)
    return {
      problem: `The arguments of "${definition.name}" do not match its schema: ${wrong}. Correct them and call again.`,
    };
  const shown = JSON.stringify(input);
  const rest = shown.length > SHOWN_ARGUMENTS ? ` … (${shown.length} characters)` : '';
  return {
    title: `${called} of the MCP server ${link.name} ${shown.slice(0, SHOWN_ARGUMENTS)}${rest}`,
    confined: false,
    run: (context) => call(spec, called, input, context),
  };
}

async function call(spec: ServerToolSpec, tool: string, input: object, context: ToolContext): Promise<ToolOutput> {
  const { link } = spec;
  const { timeoutMs: timeout = PATIENCE_MS } = link.settings;
  try {
    const result = await link.call(tool, input, {
      signal: context.signal,
      timeout,
      resetTimeoutOnProgress: true,
      maxTotalTimeout: Math.max(timeout, LONGEST_MS),
      onprogress: ({ progress, total, message }) =>
        context.progress(message ?? (total === undefined ? String(progress) : `${progress} of ${total}`)),
    });
    return outputOf(result);
  } catch (cause) {
    return { failed: true, text: saidOf(spec, cause) };
  }
}

function saidOf(spec: ServerToolSpec, cause: unknown): string {
  const { link, definition } = spec;
  if (cause instanceof ServerGone) return unavailable(spec, cause.message);
  const message = cause instanceof Error ? cause.message : String(cause);
  const failed = `The call of "${definition.name}" failed: ${message}.`;
  if (cause instanceof ServerRefused) return failed;
  return `${failed} The MCP server "${link.name}" may or may not have carried out the call. Check this before you call again.`;
}

function unavailable({ link, definition }: ServerToolSpec, why = 'its connection is closed'): string {
  return (
    `"${definition.name}" is unavailable: the MCP server "${link.name}" is not connected (${why}). The call did not run. ` +
    'Tidemark reconnects in the background: continue without this tool, or call again later.'
  );
}
