// Asks hooks before a prompt and after the end of a turn.

import { defined } from '@tidemark/core';
import type { TurnEnded } from '@tidemark/log';
import { AgentError } from '../errors.ts';
import type { Words } from '../ports/live-session.ts';
import type { Session } from '../session/session.ts';
import { commit } from '../session/session.ts';
import type { HookDenial, HookNote, HookWork } from './ask-hooks.ts';
import { askHooks, hooksFor, sharedInput } from './ask-hooks.ts';

/** Longest text of an answer that a hook gets, in characters. */
const MAX_ANSWER = 20_000;

/** Longest text of a prompt that a hook gets, in characters. */
const MAX_PROMPT = 1_000_000;

/** A prompt that is not recorded yet. */
interface UnsentPrompt {
  readonly parts: Exclude<Words, string>;
  /** Name of the program that sent the prompt. */
  readonly client: string;
  /** True if the prompt is steered into the running turn. */
  readonly steer?: true;
}

/**
 * Asks the hooks before a prompt. Returns their notes, which come after the prompt. If a hook denies, only the denial is
 * recorded. An interrupt counts as a denial, because the prompt would otherwise be sent with the next one.
 *
 * @throws AgentError `agent/hook-denied`.
 */
export async function hooksBeforePrompt(work: HookWork, prompt: UnsentPrompt): Promise<readonly HookNote[]> {
  const hooks = hooksFor(work, 'before-prompt');
  if (hooks.length === 0) return [];
  const text = await work.session.secrets.mask(textOf(prompt.parts));
  const { denied, notes, interrupted } = await askHooks(work, hooks, {
    event: 'before-prompt',
    ...sharedInput(work),
    prompt: text,
    ...defined({ steer: prompt.steer }),
  });
  if (denied !== undefined) throw await denyPrompt(work, prompt, denied);
  if (interrupted) {
    const [{ name } = { name: '' }] = hooks;
    const reason = 'The prompt was interrupted before the hooks had answered.';
    throw await denyPrompt(work, prompt, { hook: name, reason });
  }
  return notes;
}

/** Returns the text of a prompt. Attachments are included, because the model is shown them too. */
function textOf(parts: UnsentPrompt['parts']): string {
  const decoder = new TextDecoder();
  const texts = parts.flatMap((part) => {
    if (part.type === 'text') return [part.text];
    return part.type === 'attachment' ? [`${part.name}:\n${decoder.decode(part.data.subarray(0, MAX_PROMPT))}`] : [];
  });
  return texts.join('\n').slice(0, MAX_PROMPT).toWellFormed();
}

async function denyPrompt(
  { session, runtime }: HookWork,
  { client, steer }: UnsentPrompt,
  { hook, reason }: HookDenial,
): Promise<AgentError> {
  const data = { by: 'hook', rule: `hook/${hook}`, reason, presenter: client, ...defined({ steer }) } as const;
  await commit(session, [{ kind: 'prompt.denied', at: runtime.surroundings.now(), data }]);
  const why = (await session.secrets.mask(reason)).replace(/[.\s]+$/, '');
  const message = `the hook ${hook} denied the prompt, and nothing was sent: ${why}. Change the prompt or the hook, then send it again`;
  return new AgentError('agent/hook-denied', message, { hook });
}

/**
 * Asks the hooks after the end of a turn was recorded. Their notes wait for the next prompt. After an interrupt no hook
 * is asked, because the user wants everything to stop.
 */
export async function hooksAfterTurn(work: HookWork, { outcome, error }: Omit<TurnEnded, 'totals'>): Promise<void> {
  const hooks = outcome === 'interrupted' ? [] : hooksFor(work, 'turn-ended');
  if (hooks.length === 0) return;
  const text = work.session.progress.turn?.text ?? '';
  const input = {
    event: 'turn-ended',
    ...sharedInput(work),
    outcome,
    ...defined({ error }),
    text: (await work.session.secrets.mask(text)).slice(0, MAX_ANSWER).toWellFormed(),
  } as const;
  const { notes } = await askHooks(work, hooks, input, { urgent: false });
  if (notes.length > 0) await commit(work.session, numberNotes(notes, work.session));
}

/**
 * Returns the notes with the length of the log in their revisions. Two prompts of a session therefore never have notes
 * with the same revision. Call it directly before the notes are committed.
 */
export function numberNotes(notes: readonly HookNote[], { state: { length } }: Session): readonly HookNote[] {
  return notes.map((note) => ({ ...note, data: { ...note.data, revision: `${note.data.revision} ${length}` } }));
}
