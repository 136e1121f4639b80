// The preview of a call for the person who is asked, and its digest for the log.

import type { Digest } from '@tidemark/log';
import { digest } from '@tidemark/log';
import { newHash } from '../session/node-hash.ts';
import type { TurnContext } from '../turn/turn-context.ts';
import { messageOf } from './message-of.ts';
import type { CallRead } from './read-call.ts';
import type { ToolPreview, ToolProblem } from './tool.ts';
import { unlessAborted } from './unless-aborted.ts';

/**
 * Makes the preview: the tool's own, else the arguments as JSON. Returns the problem, as the model is told it, when the tool
 * cannot make one; `undefined` when the user interrupted.
 */
export async function makePreview(
  work: TurnContext,
  { tool, run, input }: CallRead,
): Promise<ToolPreview | ToolProblem | undefined> {
  const { session, signal } = work;
  if (run.preview === undefined) return { kind: 'arguments', text: JSON.stringify(input, undefined, 2) };
  const fileSeen = session.progress.files.get.bind(session.progress.files);
  try {
    return await unlessAborted(run.preview({ signal, fileSeen }), signal);
  } catch (cause) {
    if (signal.aborted) return undefined;
    return { problem: problemOf(work, tool.name, run.confined ?? true, messageOf(cause)) };
  }
}

/** Returns the SHA-256 of all parts of a preview. Equal previews have equal digests. */
export function previewDigest({ kind, text, unseen, base }: ToolPreview): Digest {
  return digest(
    newHash()
      .update(JSON.stringify([kind, text, unseen ?? null, base ?? null]))
      .hex(),
  );
}

/** The message may quote a file. Where the file lies outside the workspace, or a rule forbids something, nobody allowed that. */
function problemOf({ runtime: { rules = [] } }: TurnContext, tool: string, confined: boolean, message: string): string {
  if (confined && rules.every(({ decision }) => decision === 'allow')) return message;
  return (
    `The call of "${tool}" did not run, and the user was not asked: it would fail as things are. Read the file first, if ` +
    'you may; else ask the user.'
  );
}
