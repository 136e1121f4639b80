// Errors of reading a PDF. A model may read the message, so each message contains the next step.

import type { ErrorData } from '@tidemark/core';
import { CodedError } from '@tidemark/core';

/** Code of a PDF error. */
export type PdfErrorCode =
  | 'pdf/encrypted'
  | 'pdf/damaged'
  | 'pdf/no-such-page'
  | 'pdf/too-large'
  | 'pdf/over-limit'
  | 'pdf/unavailable';

/** An error of reading a PDF. The message does not contain the name of the file. */
export class PdfError extends CodedError<PdfErrorCode, ErrorData> {
  override readonly name = 'PdfError';

  constructor(code: PdfErrorCode, message: string, data: ErrorData = {}, cause?: unknown) {
    super(code, message, data, cause);
  }
}
