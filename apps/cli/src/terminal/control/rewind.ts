// Rewind: the user chooses an earlier prompt, and the terminal continues in a fork before it.

import type { NumberedPrompt } from '@tidemark/agent';
import { planFork, readPrompts } from '@tidemark/agent';
import type { ContentPart, Log, SessionId } from '@tidemark/log';

import { CliError } from '../../frame/failure.ts';
import { withStyle } from '../../frame/shown.ts';
import { markedText } from '../../present/marked-text.ts';
import type { Controller } from '../state/controller.ts';
import { withoutOutputs } from '../state/prompt-text.ts';
import type { ChoiceOption } from '../state/terminal-state.ts';
import { recordedDraft } from './recorded-draft.ts';
import { offerRestore } from './restore-files.ts';
import type { SessionsPlace } from './shown-session.ts';

/** Environment of a rewind. */
export type RewindPlace = Pick<
  Controller,
  'state' | 'agent' | 'session' | 'openSession' | 'choose' | 'print' | 'refill' | 'view'
> &
  Pick<SessionsPlace, 'restoring'>;

/**
 * Lets the user choose an earlier prompt, shows a fork that begins before it, and puts the prompt into the
 * editor. The session that was shown stays as it is. Files that tools changed since then are restored on request.
 *
 * @throws CliError `cli/refused` while a turn runs.
 */
export async function rewindSession(place: RewindPlace): Promise<void> {
  const session = place.session();
  const log = place.agent()?.log;
  if (place.state.get().running)
    throw new CliError('cli/refused', 'a turn is running', 'press Esc to interrupt it, then rewind');
  const prompts = session === undefined || log === undefined ? [] : await readPrompts(log, session.id);
  if (session === undefined || prompts.length === 0) {
    place.print([withStyle('dim', 'There is no earlier prompt to go back to.')]);
    return;
  }
  const index = await place.choose(
    ['Go back to the time before which prompt?'],
    prompts.map(optionOf),
    prompts.length - 1,
  );
  const chosen = index === undefined ? undefined : prompts[index];
  if (chosen === undefined) return;
  const before = { beforePrompt: chosen.number };
  const restoring = log === undefined ? undefined : await place.restoring?.(await planFork(log, session.id, before));
  const fork = await session.fork(before);
  await place.openSession({ open: 'live', session: fork });
  place.print([
    [withStyle('cyan', 'back'), ` to the time before prompt ${chosen.number}: ${promptLine(chosen)}`],
    withStyle('dim', `This is a fork of ${session.id} from before prompt ${chosen.number}. That session is kept.`),
  ]);
  if (log !== undefined) await refillPrompt(place, log, { session: session.id, position: chosen.position });
  if (restoring !== undefined) await offerRestore(restoring, place);
}

/** Puts a recorded prompt into the editor, with its images. */
async function refillPrompt(
  place: RewindPlace,
  log: Log,
  { session, position }: { readonly session: SessionId; readonly position: number },
): Promise<void> {
  const parts: ContentPart[] = [];
  for await (const { kind, data } of log.read(session, position, position + 1))
    if (kind === 'prompt.given') parts.push(...data.parts);
  const { text, attached, leftOutput, missing } = await recordedDraft(parts, log.artifacts);
  if (leftOutput)
    place.print([
      withStyle(
        'dim',
        'The output of your `!` command is not sent with it again. Run the command again if it is needed.',
      ),
    ]);
  if (missing.length > 0)
    place.print([
      withStyle('yellow', markedText(`The prompt had ${missing.join(', ')}, which cannot be read any more.`)),
    ]);
  place.refill(text, attached);
}

/** Longest text of a prompt in the list, in characters. */
const LONGEST = 200;

function optionOf(prompt: NumberedPrompt): ChoiceOption {
  return { label: `${prompt.number}. ${promptLine(prompt)}`, note: prompt.at.slice(0, 16).replace('T', ' ') };
}

/** Returns the beginning of a prompt, on one line. */
function promptLine({ words }: NumberedPrompt): string {
  return withoutOutputs(words).replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST);
}
