import { describeEncoderContract } from '@tidemark/model/contract';
import { openaiChatEncoder } from './chat/encoder.ts';
import { openaiResponsesEncoder } from './responses/encoder.ts';

const to = { provider: 'openai', model: 'gpt-5.6-sol' } as const;

describeEncoderContract('openai responses', { encoder: openaiResponsesEncoder, to });
describeEncoderContract('openai chat', { encoder: openaiChatEncoder, to });
