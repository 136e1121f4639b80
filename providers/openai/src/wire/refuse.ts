// What these encoders cannot put into a request: said before anything is sent.

import type { ProviderErrorCode } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';

/** The name of this provider in errors, spans and capability rows, whichever server speaks its wire format. */
export const PROVIDER = 'openai';

/** An error of class `refused`: asking again will not help, another request would. */
export function refuse(code: ProviderErrorCode, message: string, cause?: unknown): ProviderError {
  return new ProviderError('refused', code, message, { provider: PROVIDER }, cause);
}
