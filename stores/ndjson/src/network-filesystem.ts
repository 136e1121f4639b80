// Locks on network file systems are not kept by every client, so a session there could have two writers.

import { LogError } from '@tidemark/log';
import type { FilePort } from './file-port.ts';

/** By the magic number of `statfs(2)` on Linux. FUSE and 9p are let in: most of them are local, in one kernel. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB2'],
  [0xff534d42, 'CIFS'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x73757245, 'Coda'],
]);

/**
 * Refuses a folder on a network file system. Only Linux tells it apart; elsewhere every folder passes.
 *
 * @throws LogError `log/unsupported-filesystem`.
 */
export async function refuseNetwork(folder: string, files: FilePort): Promise<void> {
  if (process.platform !== 'linux') return;
  const name = NETWORK.get((await files.filesystemType(folder)) >>> 0);
  if (name === undefined) return;
  throw new LogError(
    'log/unsupported-filesystem',
    `${folder} stands on ${name}, where a lock does not keep a second writer out. Nothing was written; choose a home on a local disk (TIDEMARK_HOME).`,
    { folder, filesystem: name },
  );
}
