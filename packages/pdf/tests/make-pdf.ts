// Makes small PDFs for tests.

import { deflateSync } from 'node:zlib';

/**
 * Returns a PDF. Each page shows its lines as text. A page without lines has no text, like a scanned page. `content`
 * replaces the content stream of every page: its bytes and its filters.
 */
export function makePdf(
  pages: readonly (readonly string[])[],
  content?: { readonly bytes: Uint8Array; readonly filter: string },
): Buffer {
  const objects: Buffer[] = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(
      `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${4 + 2 * at} 0 R`).join(' ')}] >>`,
    ),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
  ];
  for (const [at, lines] of pages.entries()) {
    objects.push(
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * at} 0 R >>`,
      ),
      content === undefined
        ? stream(deflateSync(textOf(lines)), '/FlateDecode')
        : stream(content.bytes, content.filter),
    );
  }
  return assemble(objects, '');
}

/** Returns a PDF with an encryption dictionary whose password is not known. */
export function makeEncryptedPdf(): Buffer {
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Count 0 /Kids [] >>'),
    Buffer.from(`<< /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >>`),
  ];
  return assemble(
    objects,
    '/Encrypt 3 0 R /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]',
  );
}

function textOf(lines: readonly string[]): string {
  const shown = lines.map((line) => `(${line.replace(/[\\()]/g, String.raw`\$&`)}) Tj 0 -14 Td`);
  return `BT /F1 11 Tf 50 790 Td ${shown.join('\n')} ET`;
}

function stream(bytes: Uint8Array, filter: string): Buffer {
  return Buffer.concat([
    Buffer.from(`<< /Length ${bytes.length} /Filter ${filter} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);
}

function assemble(objects: readonly Buffer[], trailer: string): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let size = parts[0]?.length ?? 0;
  for (const [at, object] of objects.entries()) {
    const part = Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    offsets.push(size);
    size += part.length;
    parts.push(part);
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const end = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${size}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(end)]);
}
