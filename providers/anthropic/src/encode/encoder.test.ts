import { describeEncoderContract } from '@tidemark/model/contract';
import { anthropicEncoder } from './encoder.ts';

describeEncoderContract('anthropic', {
  encoder: anthropicEncoder,
  to: { provider: 'anthropic', model: 'claude-sonnet-5-5' },
});
