import { describeEncoderContract } from '@tidemark/model/contract';
import { scriptedEncoder } from './index.ts';

describeEncoderContract('scripted', { encoder: scriptedEncoder, to: { provider: 'scripted', model: 'script-1' } });
