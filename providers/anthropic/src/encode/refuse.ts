// What this encoder cannot put into a request: said before anything is sent.

import type { ProviderErrorCode } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';

/** The name of this provider in errors, spans and capability rows. */
export const PROVIDER = 'anthropic';

/** An error of class `refused`: asking again will not help, another request would. */
export function refuse(code: ProviderErrorCode, message: string, cause?: unknown): ProviderError {
  return new ProviderError('refused', code, message, { provider: PROVIDER }, cause);
}
