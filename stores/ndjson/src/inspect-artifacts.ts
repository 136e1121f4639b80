// Looking over what the artifacts hold: each is read whole and compared with the digest that is its name.

import { LogError } from '@tidemark/log';
import { artifactFiles } from './artifact-files.ts';
import { createArtifacts } from './artifacts.ts';
import { openHome } from './home.ts';
import type { NdjsonOptions } from './home.ts';

/** What was found. Nothing was changed. */
export interface ArtifactInspection {
  readonly files: number;
  /** On the disk, as they are packed. */
  readonly bytes: number;
  /** Paths whose bytes are not those of their name. */
  readonly damaged: readonly string[];
}

/** Reads every artifact of a home. */
export async function inspectArtifacts(store: NdjsonOptions): Promise<ArtifactInspection> {
  const { paths, folders } = openHome(store);
  const artifacts = createArtifacts(paths, folders);
  const damaged: string[] = [];
  let files = 0;
  let bytes = 0;
  for await (const file of artifactFiles(paths)) {
    if (file.digest === undefined) continue;
    files += 1;
    bytes += file.bytes;
    try {
      for await (const piece of artifacts.get(file.digest)) if (piece.length === 0) continue;
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      if (error.code === 'artifact/damaged') damaged.push(file.path);
    }
  }
  return { files, bytes, damaged };
}
