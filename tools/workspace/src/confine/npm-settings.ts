// The `.npmrc` of a project: a file of settings that lies in many repositories, and sometimes holds a login.

import { foldName } from '@tidemark/agent';
import { FileError, readRegularFileSync } from '@tidemark/files';
import { basename } from 'node:path';
import { codeOf } from './file-problem.ts';

/** A login that is written out. A reference to a variable, as in `_authToken=${NPM_TOKEN}`, is none. */
const LOGIN =
  /(?:(?:^|[:\s"'])_(?:auth|authtoken|password)|^[ \t]{0,64}(?:\S{1,256}:)?(?:key|password|otp))["']?(?:\[\])?[ \t]{0,64}=[ \t]{0,64}(?!["']?\$\{\w+\??\}["']?[ \t]{0,64}\r?$)[^\s]|:\/\/[^\s/:@]{0,256}:[^\s/@]{1,256}@|npm_[A-Za-z0-9]{36}|-----BEGIN /im;

/** Largest file that is read, in bytes. */
const LARGEST = 65_536;

/** Returns true for a path that ends in `.npmrc`, in any spelling that a file system takes for it. */
export function isNpmSettings(path: string): boolean {
  return foldName(basename(path)) === '.npmrc';
}

/** Returns true where an `.npmrc` at this path holds a login, or cannot be read as a file of 64 KiB or less. One that does not exist holds none. */
export function holdsNpmLogin(path: string): boolean {
  if (!isNpmSettings(path)) return false;
  try {
    return LOGIN.test(readRegularFileSync(path, { most: LARGEST }).toString('utf8'));
  } catch (error) {
    if (error instanceof FileError) return error.kind !== 'a folder';
    return codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR';
  }
}
