// Scene for tests of the interactive terminal: the screen on a virtual terminal, without a session. A test emits the
// events of a session.

import type { CallId, EventData, Kind, Log, RecordedOf } from '@tidemark/log';
import { callId, CHAIN_START, position, timestamp } from '@tidemark/log';
import type { SessionEvent } from '@tidemark/kit';

import type { OwnedController } from '../src/terminal/control/create-controller.ts';
import { createController } from '../src/terminal/control/create-controller.ts';
import { showScreen } from '../src/terminal/screen/show-screen.ts';
import { foldEvent } from '../src/terminal/state/conversation.ts';
import { createVirtualTerminal } from './virtual-terminal.ts';
import type { VirtualTerminal } from './virtual-terminal.ts';

/** A screen on a virtual terminal. */
export interface TerminalScene {
  readonly terminal: VirtualTerminal;
  readonly controller: OwnedController;
  /** Adds events of the session to the conversation. */
  emit(...events: readonly SessionEvent[]): void;
  /** Ends the screen and restores the terminal. */
  end(): Promise<void>;
}

/** Choices for a scene. */
export interface SceneOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** Text that the shell wrote earlier. */
  readonly before?: string;
  readonly colour?: boolean;
  readonly ascii?: boolean;
  /** Store of the session. */
  readonly log?: Log;
}

/** Shows the screen on a virtual terminal. */
export async function openScene(options: SceneOptions = {}): Promise<TerminalScene> {
  const { columns = 80, rows = 24, before = '', colour = false, ascii = false, log } = options;
  const terminal = createVirtualTerminal(columns, rows);
  if (before !== '') await terminal.write(before);
  const prepare = (): Promise<never> => Promise.reject(new Error('the scene has no agent'));
  const controller = createController(log === undefined ? {} : { sessions: { log, folder: '/work', prepare } });
  const end = showScreen(controller, { ...terminal, colour, ascii, reflow: 'by-lines' });
  return {
    terminal,
    controller,
    end,
    emit(...events) {
      for (const event of events) {
        const state = controller.state.get();
        controller.state.set({ ...state, conversation: foldEvent(state.conversation, event) });
      }
    },
  };
}

/** Creates committed events, with ascending positions. */
export interface RecordMaker {
  record<K extends Kind>(kind: K, data: EventData[K], at?: string): RecordedOf<K>;
}

/** Starts a log without storage. */
export function createRecords(): RecordMaker {
  let next = 0;
  return {
    record(kind, data, at = '2026-11-20T12:00:00.000Z') {
      next += 1;
      return { kind, at: timestamp(at), data, v: 1, position: position(next), fence: 1, chain: CHAIN_START };
    },
  };
}

/** Returns the payload of an answer of the main stream. */
export function answer(...parts: EventData['answer.received']['parts']): EventData['answer.received'] {
  return {
    step: 1,
    stream: 'main',
    provider: 'scripted',
    model: 'scripted-1',
    parts,
    stop: 'end',
    truncated: 'no',
    usage: {},
  };
}

/** Returns a call in an answer. */
export function call(
  id: string,
  name: string,
  input: object,
): EventData['answer.received']['parts'][number] & { readonly call: CallId } {
  return { type: 'call', call: callId(id), name, arguments: JSON.stringify(input) };
}
