// Who is spoken to, and what cannot be asked of it: said before anything is sent.

import type { ProviderErrorCode } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';

/** A service behind a wire format. */
export interface Service {
  /** In capability rows, spans and errors: `openrouter`. */
  readonly name: string;
  /** As people call it: `OpenRouter`. */
  readonly title: string;
}

/** An error of class `refused`: asking again will not help, another request would. */
export function refuse(service: Service, code: ProviderErrorCode, message: string, cause?: unknown): ProviderError {
  return new ProviderError('refused', code, message, { provider: service.name }, cause);
}
