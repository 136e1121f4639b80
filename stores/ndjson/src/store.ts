// The Log port over the files of a home.

import { flatten } from '@tidemark/log';
import type { Log } from '@tidemark/log';
import { createArtifacts } from './artifacts.ts';
import { openHome } from './home.ts';
import type { NdjsonOptions } from './home.ts';
import { createWriter, openWriter } from './open-writer.ts';
import { readSession } from './read-session.ts';
import { listSessions } from './session-list.ts';
import { createSharedTexts } from './shared-texts.ts';
import { getSnapshot, putSnapshot } from './snapshots.ts';
import { tailSession } from './tail-session.ts';

/** A log store over files. */
export interface NdjsonStore extends Log {
  /** Its folder, absolute: what `inspectSession` and `repairSession` ask for. */
  readonly home: string;
}

/** Opens a home. It is touched by the first call that needs it. */
export function openNdjsonStore(options: NdjsonOptions): NdjsonStore {
  const home = openHome(options);
  return {
    home: home.paths.home,
    create: (session, parent) => createWriter(home, session, parent),
    open: (session) => openWriter(home, session),
    read: (session, from = 0, to = Infinity) => flatten(readSession(home, session, from, to)),
    tail: (session, from, signal) => flatten(tailSession(home, session, from, signal)),
    artifacts: createArtifacts(home.paths, home.folders),
    getSnapshot: (session, revision) => getSnapshot(home, session, revision),
    putSnapshot: (session, snapshot) => putSnapshot(home, session, snapshot),
    shared: createSharedTexts(home.paths, home.folders),
    sessions: (filter = {}) => listSessions(home, filter),
  };
}
