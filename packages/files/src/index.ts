// Public exports of `files`: reading files that other programs or users made, making folders, writing files whole,
// opening SQLite files, and functions on bytes.

export type { FileErrorCode } from './file-error.ts';
export type { Folders } from './durable-folder.ts';
export { createFolders, flushFolder } from './durable-folder.ts';
export { FileError } from './file-error.ts';
export { makeFolder, makeFolderSync } from './make-folder.ts';
export { isHeldLock, openDatabase, openDatabaseReadOnly, openLockDatabase } from './lock-database.ts';
export type { NodeBytes } from './node-bytes.ts';
export { nodeBytes } from './node-bytes.ts';
export type { OpenRule, FileReadRule } from './regular-file.ts';
export {
  openRegularFile,
  readOpenFile,
  readRegularFile,
  readRegularFileSync,
  requireRegularFile,
} from './regular-file.ts';
export { writeAtomically } from './write-atomically.ts';
