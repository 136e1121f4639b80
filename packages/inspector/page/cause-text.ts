// Causes in words. The server sends several causes as their names, joined by ` + `.

import { causesInWords, isCause } from '@tidemark/context';

/** Returns causes as a clause: `the model changed; also, the tool list changed`. An unknown name stays as it is. */
export function causeText(names: string): string {
  const causes = names.split(' + ');
  return causes.every(isCause) ? causesInWords(causes) : names;
}
