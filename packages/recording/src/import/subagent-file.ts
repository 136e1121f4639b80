// Reads what Claude Code states next to the transcript of a subagent, and finds the session that started the subagent.
// The transcript is `<session>/subagents/agent-<id>.jsonl`, and the description of the task is in
// `agent-<id>.meta.json` in the same folder.

import { defined } from '@tidemark/core';
import { readRegularFile } from '@tidemark/files';
import type { Log, SessionId, StartedBy } from '@tidemark/log';
import { callId } from '@tidemark/log';
import { dirname, resolve } from 'node:path';
import { countOf, nameOf, objectOf } from './file/fields.ts';
import { readRecords } from './file/read-records.ts';
import type { FormatName } from './format/format.ts';

/** Facts about the subagent of a transcript. */
export interface SubagentFile {
  /** Description of the task, as the call states it. */
  readonly title?: string;
  /** Id of the call that started the subagent. */
  readonly call?: string;
  /** Nesting depth: 1 if the main session started it. */
  readonly depth: number;
  /** Path of the transcript of the main session. */
  readonly main: string;
}

const SUBAGENT = /[/\\]subagents[/\\]agent-[^/\\]+\.jsonl$/;

/** Maximum size of the description, in bytes. */
const MAX_BYTES = 64 * 1024;

/** Maximum length of a title, in characters. */
const LONGEST = 200;

/** Reads the facts about a subagent. Returns `undefined` if the path is not the transcript of a subagent. */
export async function readSubagentFile(path: string): Promise<SubagentFile | undefined> {
  const full = resolve(path);
  if (!SUBAGENT.test(full)) return undefined;
  const about = objectOf(readRecords(await readText(full.replace(/\.jsonl$/, '.meta.json'))).records[0]?.value);
  const title = nameOf(about['description'])?.slice(0, LONGEST).toWellFormed();
  const call = nameOf(about['toolUseId']);
  const depth = Math.max(1, countOf(about['spawnDepth']) ?? 1);
  return { ...defined({ title, call }), depth, main: `${dirname(dirname(full))}.jsonl` };
}

// The description is optional, so a file that cannot be read counts as absent.
async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder().decode(await readRegularFile(path, { most: MAX_BYTES }));
  } catch {
    return '';
  }
}

/**
 * Returns the session that started the subagent: an imported session whose answers contain the call. `own` is the
 * session of the subagent. Its name and the name of the session that started it begin with the same characters, because
 * the rows of both files have the same session id.
 */
export async function findStarter(
  store: Log,
  { call, depth }: SubagentFile,
  own: SessionId,
  format: FormatName,
): Promise<StartedBy | undefined> {
  if (call === undefined) return undefined;
  const family = own.slice(0, own.lastIndexOf('-') + 1);
  const { sessions } = await store.sessions();
  for (const { session, root } of sessions) {
    if (session === own || session !== root || !session.startsWith(family)) continue;
    if (await hasCall(store, session, call, format)) return { session, call: callId(call), depth };
  }
  return undefined;
}

async function hasCall(store: Log, session: SessionId, call: string, format: FormatName): Promise<boolean> {
  for await (const { kind, data } of store.read(session)) {
    if (kind === 'session.created' && data.imported?.format !== format) return false;
    if (kind === 'answer.received' && data.parts.some((part) => part.type === 'call' && part.call === call))
      return true;
  }
  return false;
}
