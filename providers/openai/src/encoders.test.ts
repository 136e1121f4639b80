import { describeEncoderContract } from '@tidemark/model/contract';
import { openaiChatEncoder } from './chat/encoder.ts';
import { openaiResponsesEncoder } from './responses/encoder.ts';

const to = { provider: 'openai', model: 'gpt-5.6-sol' } as const;

const marked = { implicit: { at: 'endings', idle: 30, lookup: 20 }, slots: 3, ttls: ['30m', '12h'] } as const;

describeEncoderContract('openai responses', { encoder: openaiResponsesEncoder, to });
describeEncoderContract('openai responses, marked', { encoder: openaiResponsesEncoder, to, row: marked });
describeEncoderContract('openai chat', { encoder: openaiChatEncoder, to });
