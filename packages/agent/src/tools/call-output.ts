// Output of a running call. The chunks of the tool are written one after another, and no tool writes after the end of
// its call.

import { createMutex } from '../concurrency.ts';
import { AgentError } from '../errors.ts';
import type { LiveOutput } from '../output/live-output.ts';
import type { ShapedOutput, ToolOutputSink } from '../output/output.ts';

/** Output of a running call: the text of the tool, and text of the runtime. */
export interface CallOutput {
  /**
   * Writes a chunk for the tool. The tool awaits the promise, so it does not write faster than the output accepts
   * (backpressure).
   *
   * @throws AgentError `agent/call-ended` after the end of the call.
   */
  write(chunk: string | Uint8Array): Promise<void>;
  isOpen(): boolean;
  /** Rejects all later writes of the tool. */
  close(): void;
  /** Adds a text of the runtime that begins on a new line. */
  addLine(text: string): Promise<void>;
  add(text: string): Promise<void>;
  /**
   * Shapes the output after all of it is written. Rejects with the error of the first chunk that could not be written.
   */
  finish(options: Parameters<ToolOutputSink['finish']>[0]): Promise<ShapedOutput>;
  drop(): void;
}

/**
 * Creates the output of a call on top of a sink. Chunks are written one after another. A write of the tool after
 * `close` is rejected. The live output receives only what the tool writes, until `close`.
 */
export function openCallOutput(output: ToolOutputSink, live?: LiveOutput): CallOutput {
  const mutex = createMutex();
  let isOpen = true;
  let isDropped = false;
  let endsLine = true;
  let failure: Promise<void> | undefined;
  const add = (chunk: string | Uint8Array): Promise<void> => {
    const written = mutex.pass(async () => {
      if (isDropped) throw callEnded();
      if (chunk.length > 0) endsLine = typeof chunk === 'string' ? chunk.endsWith('\n') : chunk.at(-1) === 0x0a;
      await output.write(chunk);
    });
    written.catch(() => {
      failure ??= written;
    });
    return written;
  };
  return {
    write: (chunk) => {
      if (!isOpen) return refuseWrite();
      live?.write(chunk);
      return add(chunk);
    },
    isOpen: () => isOpen,
    close: () => {
      isOpen = false;
      live?.close();
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

/**
 * Returns a rejected promise that is already handled. If the caller awaits it, the caller gets the error. If a tool
 * keeps writing without awaiting, the process does not crash.
 */
function refuseWrite(): Promise<void> {
  const refusal = Promise.reject<void>(callEnded());
  refusal.catch(() => undefined);
  return refusal;
}

function callEnded(): AgentError {
  return new AgentError('agent/call-ended', 'this call has ended, and its further output is ignored: stop writing');
}
