// Transcripts of Claude Code for tests, in a temporary folder, with audits of them.

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { defaultCatalog, findModel } from '@tidemark/model';
import type { Audit, AuditFilter, Projection, Updated } from '../src/index.ts';
import { audit, findTranscripts, openProjection, updateProjection } from '../src/index.ts';

/** Call of a transcript: the counts of its tokens, and the pause before it. */
export interface MadeCall {
  readonly read?: number;
  /** Tokens written with a lifetime of five minutes, and of one hour. */
  readonly written?: number;
  readonly writtenForHour?: number;
  readonly fresh?: number;
  readonly output?: number;
  /** Pause before the call, in seconds. */
  readonly pause?: number;
  readonly model?: string;
  /** Reason of the provider's diagnosis. */
  readonly reason?: string;
}

/** Facts about a made session. */
export interface MadeSession {
  readonly session?: string;
  readonly folder?: string;
  readonly start?: string;
}

/** Returns the rows of a session. The same arguments give the same rows. */
export function claudeRows(calls: readonly MadeCall[], made: MadeSession = {}): readonly object[] {
  const { session = 'aaaaaaaa-0000', folder = '/work/project', start = '2026-11-20T10:00:00.000Z' } = made;
  let [time, parent] = [Date.parse(start), ''];
  const row = (uuid: string, type: string, message: object): object => {
    const parentUuid = parent === '' ? null : parent;
    const common = { isSidechain: false, cwd: folder, sessionId: session, version: '2.1.39' };
    parent = uuid;
    return { parentUuid, ...common, type, message, uuid, timestamp: new Date(time).toISOString() };
  };
  return calls.flatMap((call, index) => {
    time += (call.pause ?? 20) * 1_000;
    const prompt = row(`${session}-p${index}`, 'user', { role: 'user', content: `prompt ${index}` });
    return [prompt, row(`${session}-a${index}`, 'assistant', messageOf(call, `msg_${session}_${index}`))];
  });
}

function messageOf({ read = 0, written = 0, writtenForHour = 0, fresh = 3, ...rest }: MadeCall, id: string): object {
  const { output = 10, model = 'claude-opus-4-6', reason } = rest;
  const usage = {
    input_tokens: fresh,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written + writtenForHour,
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: writtenForHour },
    output_tokens: output,
  };
  const diagnostics = reason === undefined ? {} : { diagnostics: { cache_miss_reason: { type: reason } } };
  const content = [{ type: 'text', text: 'done' }];
  return { id, role: 'assistant', model, content, stop_reason: 'end_turn', usage, ...diagnostics };
}

/** Folder with transcripts, and the database of their calls. */
export interface Machine {
  readonly folder: string;
  readonly projection: Projection;
  /** Writes a transcript: rows, or a text. The transcript that is written first has the oldest change. */
  write(name: string, content: readonly object[] | string): string;
  /** Brings the rows up to date and sums them up. */
  audited(filter?: Partial<AuditFilter>): Promise<Audit>;
  update(projection?: Projection, signal?: AbortSignal): Promise<Updated>;
  close(): void;
}

/** Creates a machine without transcripts. */
export function createMachine(): Machine {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-audit-'));
  const projection = openProjection(join(folder, 'audit.sqlite'), 'test');
  let written = 0;
  const update: Machine['update'] = async (into = projection, signal) => {
    const { transcripts } = await findTranscripts([{ agent: 'claude-code', folder, files: /\.jsonl$/ }]);
    const rowOf = (provider: string, model: string): ReturnType<typeof findModel> =>
      findModel(defaultCatalog(), model, provider);
    return updateProjection(into, transcripts, { rowOf, since: 0, ...(signal && { signal }) });
  };
  return {
    folder,
    projection,
    update,
    write: (name, content) => {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(
        path,
        typeof content === 'string' ? content : content.map((row) => `${JSON.stringify(row)}\n`).join(''),
      );
      written += 1;
      utimesSync(path, 1_800_000_000 + written, 1_800_000_000 + written);
      return path;
    },
    audited: async (filter = {}) => {
      await update();
      return audit(projection, { since: '2000-01-01T00:00:00.000Z', ...filter });
    },
    close: () => {
      projection.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
