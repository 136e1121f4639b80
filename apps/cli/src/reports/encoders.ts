// Lists the encoder revisions. This version can rebuild the requests of every revision in the list.

import type { Encoders } from '@tidemark/agent';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import {
  COMPATIBLE_ENCODERS,
  openaiChatEncoder,
  openaiResponsesEncoder,
  openrouterEncoder,
} from '@tidemark/provider-openai';
import { scriptedEncoder } from '@tidemark/provider-scripted';

const COMPATIBLE = Object.values(COMPATIBLE_ENCODERS).flatMap((encoder) => [
  encoder,
  ...Object.values(encoder.without ?? {}),
]);
const ALL = [
  anthropicEncoder,
  openaiResponsesEncoder,
  openaiChatEncoder,
  openrouterEncoder,
  scriptedEncoder,
  ...COMPATIBLE,
];

/**
 * Returns the encoder with this revision. Each recorded request contains its revision. If this version does not know
 * the revision, returns `undefined`.
 */
export const encoders: Encoders = (revision) => ALL.find((encoder) => encoder.revision === revision);
