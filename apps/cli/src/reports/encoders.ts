// Lists every encoder revision whose requests this version can rebuild.

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
 * Returns the encoder with this revision, which each recorded request contains. Returns `undefined` for a revision that
 * this version does not know.
 */
export const encoders: Encoders = (revision) => ALL.find((encoder) => encoder.revision === revision);
