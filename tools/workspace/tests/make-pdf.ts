// Makes small PDFs, for tests of tools that read them. They have no table of references, so a reader has to search for
// the objects.

/** Returns a PDF whose pages show these lines. `locked` encrypts it with an unknown password. */
export function makePdf(pages: readonly (readonly string[])[], locked = false): string {
  const kids = pages.map((_, at) => `${9 + 2 * at} 0 R`).join(' ');
  const objects = [
    '1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj',
    `2 0 obj << /Type /Pages /Count ${pages.length} /Kids [${kids}] >> endobj`,
    '3 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj',
    `4 0 obj << /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >> endobj`,
    ...pages.flatMap((lines, at) => {
      const words = `BT /F1 11 Tf 50 790 Td ${lines.map((line) => `(${line}) Tj 0 -14 Td`).join(' ')} ET`;
      return [
        `${9 + 2 * at} 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${10 + 2 * at} 0 R >> endobj`,
        `${10 + 2 * at} 0 obj << /Length ${words.length} >>\nstream\n${words}\nendstream endobj`,
      ];
    }),
  ];
  const id = '<00112233445566778899aabbccddeeff>';
  const trailer = `trailer << /Root 1 0 R ${locked ? `/Encrypt 4 0 R /ID [${id} ${id}]` : ''} >>`;
  return `%PDF-1.7\n${objects.join('\n')}\n${trailer}\nstartxref\n0\n%%EOF\n`;
}
