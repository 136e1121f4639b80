// The lines of a call: the main stream's, kept by the session so that a step costs what is new, and a side call's own.

import { position } from '@tidemark/log';
import type { FrontTexts, State, RequestSpec } from '@tidemark/context';
import type { Capabilities, Encoder } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import { asKept, loadCapabilities, loadFront } from '../session/materials.ts';
import type { Session } from '../session/session.ts';
import type { PromptStream, Resize } from './prompt-stream.ts';
import { beginLine, besideLine, extendLine, stillHolds } from './prompt-stream.ts';
import type { Beside } from './request-record.ts';

/** What of a call its lines depend on. */
interface PromptStreamOptions {
  readonly encoder: Encoder;
  readonly wanted: Pick<RequestSpec, 'capabilities'>;
  readonly capabilities: Capabilities;
  /** Of the epoch in force, where it is about to open: they need not be read back. */
  readonly texts?: FrontTexts;
  readonly beside?: Beside;
  readonly resize?: Resize;
}

/** The line of the main stream, with all that was packed since; as it is where a call needs nothing of that. */
export async function mainLine(
  session: Session,
  kept: PromptStream | undefined,
  state: State,
  options: PromptStreamOptions,
): Promise<PromptStream> {
  const held = kept !== undefined && stillHolds(kept, state) ? kept : await newLine(session, state, options);
  return options.beside?.history === 'none' ? held : extendLine(held, state, session.log.artifacts, options.resize);
}

/** The line of the call itself. */
export async function callLine(
  { log }: Session,
  main: PromptStream,
  state: State,
  { beside }: PromptStreamOptions,
): Promise<PromptStream> {
  if (beside === undefined) return main;
  const before = beside.history === 'none' ? beginLine(main.materials, state) : main;
  return besideLine(before, state, { parts: beside.extra, position: position(state.length) }, log.artifacts);
}

/** The catalog row is the epoch's own, as it is when the request is made again: another one may lower otherwise (L2). */
async function newLine(
  { log: { artifacts } }: Session,
  state: State,
  options: PromptStreamOptions,
): Promise<PromptStream> {
  const { epoch } = state;
  if (epoch === undefined) throw new AgentError('agent/no-epoch', 'no epoch is open: prepare opens one first');
  const { encoder, wanted, texts = await loadFront(artifacts, epoch.opened) } = options;
  const isWanted = epoch.opened.capabilities === wanted.capabilities;
  const capabilities = isWanted ? asKept(options.capabilities) : await loadCapabilities(artifacts, epoch.opened);
  return beginLine({ epoch, texts, capabilities, encoder }, state);
}

/** After the append the epoch has its real record: the line goes on under it. */
export function rebased(line: PromptStream, state: State): PromptStream {
  if (state.epoch === undefined) return line;
  return { ...line, packed: state.history.packed.buffer, materials: { ...line.materials, epoch: state.epoch } };
}
