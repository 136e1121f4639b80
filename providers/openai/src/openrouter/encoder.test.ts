import { describeEncoderContract } from '@tidemark/model/contract';
import { openrouterEncoder } from './encoder.ts';

describeEncoderContract('openrouter', {
  encoder: openrouterEncoder,
  to: { provider: 'openrouter', model: 'anthropic/claude-sonnet-5.5' },
});
