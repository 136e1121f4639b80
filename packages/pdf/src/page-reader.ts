// Program that reads a PDF in its own process. It is a text, because it must also run from a bundle. It gets the PDF on
// stdin and writes one JSON object per line: first the number of pages, then the text of each page.

/**
 * Module for `node --input-type=module -e`. Its arguments are the path of PDF.js, the number of the first page, the
 * number of characters after which it stops, and the maximum number of characters of one page.
 *
 * - `isEvalSupported: false` keeps PDF.js from compiling code of the fonts of a PDF.
 * - The program loads no fonts, no WebAssembly and nothing from the network, because only the text is needed.
 */
export const PAGE_READER = `
const [library, first, enough, longest] = process.argv.slice(1);
const say = (line) => new Promise((resolve) => process.stdout.write(JSON.stringify(line) + '\\n', resolve));
const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { getDocument } = await import(library);
const options = { isEvalSupported: false, useSystemFonts: false, disableFontFace: true, useWasm: false, useWorkerFetch: false, verbosity: 0 };
const words = (error) => ({ error: String(error?.name), message: String(error?.message).slice(0, 500) });
try {
  const document = await getDocument({ data: new Uint8Array(Buffer.concat(chunks)), ...options }).promise;
  await say({ pages: document.numPages });
  let size = 0;
  for (let number = Number(first); number <= document.numPages && size < Number(enough); number += 1) {
    try {
      const page = await document.getPage(number);
      const pieces = page.streamTextContent().getReader();
      let text = '';
      for (let piece = await pieces.read(); !piece.done && text.length <= Number(longest); piece = await pieces.read())
        for (const item of piece.value.items) text += (item.str ?? '') + (item.hasEOL === true ? '\\n' : '');
      if (text.length > Number(longest)) pieces.cancel(new Error('enough')).catch(() => undefined);
      const cut = text.length > Number(longest);
      text = text.slice(0, Number(longest)).toWellFormed().replace(/\\r\\n?/g, '\\n');
      size += text.length + 40;
      await say({ number, text, cut });
    } catch (error) {
      size += 100;
      await say({ number, ...words(error) });
    }
  }
  await say({ done: true });
} catch (error) {
  await say(words(error));
}
process.exit(0);
`;
