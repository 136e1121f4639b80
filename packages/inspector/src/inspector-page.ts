// The page as one text: markup, style and script. A content security policy allows exactly this script and this style,
// so a text of a session never runs.

import { createHash } from 'node:crypto';
import type { PageParts } from './page-parts.ts';
import { readPageParts } from './page-parts.ts';

/** The page, and the policy that its answer needs as the header `content-security-policy`. */
export interface InspectorPage {
  readonly html: string;
  readonly policy: string;
}

let page: Promise<InspectorPage> | undefined;

/** Returns the page. It is made at the first call. */
export function inspectorPage(): Promise<InspectorPage> {
  page ??= readPageParts().then(makePage);
  return page;
}

/** Parts of a file: the name of each one, and its content in base64. */
export type FileContents = readonly (readonly [name: string, content: string])[];

/** Returns the page as a file that contains its data. The file loads nothing and connects to nothing. */
export async function filePage(contents: FileContents): Promise<string> {
  const parts = await readPageParts();
  // A policy in a page cannot restrict the pages that frame it.
  const policy = policyOf(parts, "connect-src 'none'");
  const data = contents.map(([name, content]) => `<script type="text/plain" id="${name}">${content}</script>`);
  return markupOf(parts, {
    head: `<meta http-equiv="Content-Security-Policy" content="${policy}">\n`,
    data: `${data.join('\n')}\n`,
  });
}

function makePage(parts: PageParts): InspectorPage {
  const policy = `${policyOf(parts, "connect-src 'self'")}; frame-ancestors 'none'`;
  return { html: markupOf(parts, { head: '', data: '' }), policy };
}

function policyOf({ script, style }: PageParts, connections: string): string {
  return [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    connections,
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

interface AddedMarkup {
  readonly head: string;
  readonly data: string;
}

function markupOf({ script, style }: PageParts, { head, data }: AddedMarkup): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${head}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Tidemark</title>
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript.</noscript>
${data}<script type="module">${script}</script>
</body>
</html>
`;
}

/** Returns the source expression of CSP for an inline script or style. */
function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
