// Long texts for the viewer: the whole outputs of the calls, and the whole session. They are read from the log and its
// artifacts, so they do not depend on what the model was shown.

import type { Log, SessionId } from '@tidemark/log';

import { withStyle } from '../../frame/shown.ts';
import { CliError } from '../../frame/failure.ts';
import { blockLines, thoughtLines, thoughtTitle } from '../drawing/block-lines.ts';
import { diffLines } from '../drawing/diff-lines.ts';
import type { PrintedCall, PrintedReasoning } from '../state/blocks.ts';
import type { Controller } from '../state/controller.ts';
import type { Conversation, LiveCall } from '../state/conversation.ts';
import { EMPTY_CONVERSATION, foldRecord, withoutLive } from '../state/conversation.ts';
import type { Line } from '../state/line.ts';
import { codeLine } from '../state/line.ts';
import type { LineSource, ViewerEntry } from '../state/viewer-entry.ts';
import { bytesSource, linesSource } from './line-sources.ts';

/** Opens long texts. */
export type LongTexts = Pick<Controller, 'viewOutputs' | 'viewTranscript'>;

type LongTextsPlace = Pick<Controller, 'state' | 'report' | 'print' | 'viewEntries'>;

/** Creates the functions that open long texts of the shown session. Without a log there is nothing to open. */
export function createLongTexts(place: LongTextsPlace, log: Log | undefined): LongTexts {
  const { state, report, print, viewEntries } = place;
  const shown = (): { readonly log: Log; readonly session: SessionId } | undefined => {
    const { session } = state.get();
    return log === undefined || session === undefined ? undefined : { log, session };
  };
  return {
    viewOutputs() {
      const here = shown();
      const { blocks, live } = state.get().conversation;
      const endedEntry = (call: PrintedCall): readonly ViewerEntry[] =>
        here === undefined ? [] : outputEntry(call, here.log, here.session);
      const entries = [
        ...blocks
          .from(0)
          .flatMap((block) =>
            block.kind === 'tool' ? endedEntry(block) : block.kind === 'reasoning' ? thoughtEntry(block) : [],
          ),
        ...live.calls.flatMap((call) => (call.ended === undefined ? liveEntry(call) : endedEntry(call.ended))),
      ];
      if (entries.length === 0) print([withStyle('dim', 'no call has an output yet, and there is no thought')]);
      else viewEntries(entries, entries.length - 1).catch(report);
    },
    viewTranscript() {
      const here = shown();
      if (here === undefined) return print([withStyle('dim', 'the session has no messages yet')]);
      const open = (columns: number): Promise<LineSource> => transcriptSource(here.log, here.session, columns);
      viewEntries([{ title: `session ${here.session}`, open }], 0).catch(report);
    },
  };
}

function outputEntry(call: PrintedCall, log: Log, session: SessionId): readonly ViewerEntry[] {
  const { position, title, diff } = call;
  if (position === undefined) return [];
  const whole = diff === undefined ? undefined : linesSource(diffLines(diff, Infinity, '').map(codeLine));
  return [{ title, open: async () => whole ?? outputSource(log, session, position) }];
}

function thoughtEntry(block: PrintedReasoning): readonly ViewerEntry[] {
  return [{ title: thoughtTitle(block), open: async () => linesSource(thoughtLines(block)) }];
}

function liveEntry({ title, output }: LiveCall): readonly ViewerEntry[] {
  if (output === undefined) return [];
  return [{ title: `${title} (running)`, open: async () => linesSource(output.split('\n').map(codeLine)) }];
}

/** Returns the whole output of a call: its artifact, or the text of its result if that is the whole output. */
async function outputSource(log: Log, session: SessionId, position: number): Promise<LineSource> {
  for await (const record of log.read(session, position, position + 1)) {
    if (record.kind !== 'tool.returned' && record.kind !== 'tool.failed') break;
    const { output, parts } = record.data;
    if (output !== undefined) return codeSource(await bytesSource(() => log.artifacts.get(output)));
    const lines = parts.flatMap((part) =>
      part.type === 'text'
        ? part.text.split('\n')
        : [part.type === 'file' ? `[file ${part.path}]` : `[${part.mediaType}]`],
    );
    return linesSource(lines.map(codeLine));
  }
  throw new CliError(
    'cli/not-found',
    `record ${position} is not the result of a call`,
    'check the session with `tidemark verify`',
  );
}

function codeSource(source: LineSource): LineSource {
  return { ...source, read: async (from, to) => (await source.read(from, to)).map(codeLine) };
}

/** Number of records after which other work of the process runs. */
const RECORDS_AT_ONCE = 200;

async function transcriptSource(log: Log, session: SessionId, columns: number): Promise<LineSource> {
  const lines: Line[] = [];
  let conversation = EMPTY_CONVERSATION;
  let drawn = 0;
  const draw = ({ blocks }: Conversation): void => {
    for (const block of blocks.from(drawn)) lines.push(...blockLines(block, { columns, whole: true }));
    drawn = blocks.length;
  };
  for await (const record of log.read(session)) {
    conversation = foldRecord(conversation, record);
    draw(conversation);
    if (record.position % RECORDS_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  // Calls that have ended can wait for an earlier one.
  draw(withoutLive(conversation));
  return linesSource(lines);
}
