// The face of `files`: how files that others made are read.

export type { FileErrorCode } from './file-error.ts';
export { FileError } from './file-error.ts';
export { makeFolder, makeFolderSync } from './make-folder.ts';
export type { OpenRule, FileReadRule } from './regular-file.ts';
export {
  openRegularFile,
  readOpenFile,
  readRegularFile,
  readRegularFileSync,
  requireRegularFile,
} from './regular-file.ts';
