// The result of a call as words: neither API has a flag for a failed call, nor takes an empty output for an output.

import type { ImagePart, ResultPart } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import { imageStub } from './image.ts';

/** Stands before what a failed call said, as no field can. */
const FAILED = '[the call failed]';

/** For a result that holds nothing: models take an empty output for a fault. */
const NO_OUTPUT = '(no output)';

/** The pieces of a result in order: its texts that are not blank, and its images; at least one. */
export function resultContents(part: ResultPart): readonly (string | ImagePart)[] {
  const contents: (string | ImagePart)[] = part.error ? [FAILED] : [];
  const before = contents.length;
  for (const one of part.content) {
    if (one.type === 'image') contents.push(one);
    else if (!isBlank(one.text)) contents.push(one.text);
  }
  return contents.length === before ? [...contents, NO_OUTPUT] : contents;
}

/** The same as words alone, for a tool message: upstreams differ in what they take there. An image becomes a line with its digest (L6). */
export function resultWords(part: ResultPart): string {
  const lines = resultContents(part).map((one) =>
    typeof one === 'string' ? one : imageStub(one, 'a tool message takes text only').text,
  );
  return lines.join('\n');
}
