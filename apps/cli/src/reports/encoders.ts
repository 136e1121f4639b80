// Every encoder revision that this version can rebuild requests of.

import type { Encoders } from '@tidemark/agent';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { openaiChatEncoder, openaiResponsesEncoder, openrouterEncoder } from '@tidemark/provider-openai';
import { scriptedEncoder } from '@tidemark/provider-scripted';

const ALL = [anthropicEncoder, openaiResponsesEncoder, openaiChatEncoder, openrouterEncoder, scriptedEncoder];

/** Finds the encoder of a revision, as requests name it. */
export const encoders: Encoders = (revision) => ALL.find((encoder) => encoder.revision === revision);
