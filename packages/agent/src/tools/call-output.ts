// What one call writes, in the order in which it wrote it, whether it waited or not; and nothing after it ended.

import type { ToolOutputSink, ShapedOutput } from '../commit/output.ts';
import { AgentError } from '../errors.ts';
import { createMutex } from '../session/mutex.ts';

/** The output of a call that runs. */
export interface CallOutput {
  /** For the tool. Await it: that is the backpressure. @throws AgentError `agent/call-ended` once the call has ended. */
  write(chunk: string | Uint8Array): Promise<void>;
  isOpen(): boolean;
  /** From now on the tool writes nothing more. */
  close(): void;
  /** Words of the runtime's, on a line of their own. */
  addLine(text: string): Promise<void>;
  /** Words behind all that was written. */
  add(text: string): Promise<void>;
  /** Shapes it once all of it is written. Rejects with what kept a chunk from being written. */
  finish(options: Parameters<ToolOutputSink['finish']>[0]): Promise<ShapedOutput>;
  /** Throws it away. */
  drop(): void;
}

/** Begins an output. */
export function openCallOutput(output: ToolOutputSink): CallOutput {
  const mutex = createMutex();
  let isOpen = true;
  let isDropped = false;
  let endsLine = true;
  let failure: Promise<void> | undefined;
  const add = (chunk: string | Uint8Array): Promise<void> => {
    const written = mutex.pass(async () => {
      if (isDropped) throw ended();
      if (chunk.length > 0) endsLine = typeof chunk === 'string' ? chunk.endsWith('\n') : chunk.at(-1) === 0x0a;
      await output.write(chunk);
    });
    written.catch(() => {
      failure ??= written;
    });
    return written;
  };
  return {
    write: (chunk) => (isOpen ? add(chunk) : refused()),
    isOpen: () => isOpen,
    close: () => {
      isOpen = false;
    },
    add,
    addLine: async (text) => {
      await mutex.pass(() => Promise.resolve());
      await add(endsLine ? text : `\n${text}`);
    },
    finish: (options) =>
      mutex.pass(async () => {
        await failure;
        return output.finish(options);
      }),
    drop: () => {
      isDropped = true;
      output.drop();
    },
  };
}

/** Who awaits it is told; a tool that writes on without waiting must not bring down the process. */
function refused(): Promise<void> {
  const refusal = Promise.reject<void>(ended());
  refusal.catch(() => undefined);
  return refusal;
}

function ended(): AgentError {
  return new AgentError('agent/call-ended', 'this call has ended: nothing more of it is kept, so stop writing');
}
