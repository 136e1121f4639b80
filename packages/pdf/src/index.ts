// Public face of the package.

export type { PdfErrorCode } from './pdf-error.ts';
export { PdfError } from './pdf-error.ts';
export type { PdfPage, PdfRequest, PdfText } from './read-pdf.ts';
export { isPdf, LARGEST_PDF, pageHeading, readPdf } from './read-pdf.ts';
