// State of one session that is not stored yet: the text that is arriving and the output of running calls. A reader that
// joins in the middle of an answer gets it at once.

import type { SessionEvent } from '@tidemark/agent';
import type { LiveState } from './frames.ts';

/** Longest kept end of the output of one call, in characters. */
const LONGEST_OUTPUT = 32_768;

/** Texts of the step that is running. */
export type PassingTexts = Pick<LiveState, 'text' | 'reasoning' | 'outputs'>;

/** Text, reasoning and outputs of the step that is running. */
export interface PassingState {
  take(event: SessionEvent): void;
  /** Replaces everything by a state that a worker has collected. */
  replace(state: PassingTexts): void;
  read(): PassingTexts;
}

/** Creates the state of a session in which nothing runs. */
export function createPassingState(): PassingState {
  let text: string[] = [];
  let reasoning: string[] = [];
  const outputs = new Map<string, string>();
  const takeRecord = (kind: string, call: string | undefined): void => {
    if (kind.startsWith('answer.') || kind === 'request.prepared' || kind === 'turn.ended') {
      text = [];
      reasoning = [];
    }
    if (kind === 'turn.ended') outputs.clear();
    if (call !== undefined) outputs.delete(call);
  };
  return {
    take(event) {
      if (event.type === 'text.delta') text.push(event.text);
      else if (event.type === 'reasoning.delta') reasoning.push(event.text);
      else if (event.type === 'tool.output')
        outputs.set(event.call, `${outputs.get(event.call) ?? ''}${event.text}`.slice(-LONGEST_OUTPUT));
      else if (event.type === 'recorded') {
        const { kind, data } = event.record;
        const ends = kind === 'tool.returned' || kind === 'tool.failed' || kind === 'tool.abandoned';
        takeRecord(kind, ends ? data.call : undefined);
      }
    },
    replace(state) {
      text = [state.text];
      reasoning = [state.reasoning];
      outputs.clear();
      for (const one of state.outputs) outputs.set(one.call, one.text);
    },
    read: () => ({
      text: text.join(''),
      reasoning: reasoning.join(''),
      outputs: [...outputs].map(([call, output]) => ({ call, text: output })),
    }),
  };
}
