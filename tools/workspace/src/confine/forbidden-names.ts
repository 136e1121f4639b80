// Names that no file tool goes near, wherever they stand in a path: version control's own store, and what holds keys.

import { foldName } from '@tidemark/agent';
import { KEY_NAMES } from './key-files.ts';

/** In any folder: the key files of a home, and names of keys elsewhere. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ...KEY_NAMES,
  ['.git', 'the store of version control'],
  ['.htpasswd', 'credentials of a web server'],
  ['id_rsa', 'a private key'],
  ['id_dsa', 'a private key'],
  ['id_ecdsa', 'a private key'],
  ['id_ed25519', 'a private key'],
]);

/** `.env` and `.env.local`, but not `.env.test` and the samples that are made to be read, such as `.env.local.example`. */
const ENVIRONMENT = /^\.env(\.(?!((.*\.)?(example|sample|template|dist|defaults)|test)$).*)?$/;

/** Why a file or folder of this name is refused; `undefined` when it is not. Any spelling that a file system takes for it counts: `.g\u200Cit`, `.ſsh`. */
export function forbiddenName(name: string): string | undefined {
  const plain = foldName(name);
  if (ENVIRONMENT.test(plain)) return 'settings that may hold keys';
  return NAMES.get(plain);
}
