// The form of a body: what an API puts around and between blocks, and which blocks a place in the body names.

import type { Answered, Block, Envelope, Front, Marker, RefusedPlace } from '@tidemark/model';
import type { Service } from './service.ts';

/** One API's punctuation. The block bytes themselves are in the blocks. */
export interface BodyForm {
  /** Whose API it is, for errors. */
  readonly service: Service;
  /** Everything before the blocks: model and render parameters. */
  header(front: Front): string;
  /** The text between two neighbours; `undefined` stands for the beginning and for the end of the blocks. */
  between(before: Block | undefined, after: Block | undefined): string;
  /** Whether two neighbours stand in the content of one message. */
  joins(before: Block, after: Block): boolean;
  /** Whether the system texts are the first message, or stand outside of the messages. */
  readonly systemIsMessage: boolean;
  /** What varies by call, and the closing brace. Throws `provider/invalid` for a field that is already written. */
  end(front: Front, envelope: Envelope): string;
  /** A marker of each life that is sold, as it stands between a block's head and tail. Absent where the API takes none. */
  readonly marks?: { readonly [ttl in Marker['ttl']]?: string };
  /** What a call's block begins with; the id follows, and a quote ends it. */
  readonly callPrefix: string;
  /** The same of a result's block. */
  readonly resultPrefix: string;
  /** Whether the calls of an answer must be the last of its message. */
  readonly callsLast: boolean;
  /** The fields that make a request one that goes on from an earlier answer; absent where the API knows none such. */
  readonly goesOn?: (answered: Answered) => Envelope['fields'];
}

/** Indexes of the blocks at a place: those of the whole message where no content is named. None where the place is none. */
export function locateBlocks(form: BodyForm, { message, content }: RefusedPlace, blocks: readonly Block[]): number[] {
  const found: number[] = [];
  let at = { message: -1, content: 0 };
  let before: Block | undefined;
  for (const [index, block] of blocks.entries()) {
    if (block.section === 'tools' || (block.section === 'system' && !form.systemIsMessage)) continue;
    const joins = before !== undefined && form.joins(before, block);
    at = joins ? { ...at, content: at.content + 1 } : { message: at.message + 1, content: 0 };
    before = block;
    if (at.message === message && (content ?? at.content) === at.content) found.push(index);
  }
  return found;
}
