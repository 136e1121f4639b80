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

function makePage({ script, style }: PageParts): InspectorPage {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "connect-src 'self'",
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Tidemark</title>
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript.</noscript>
<script type="module">${script}</script>
</body>
</html>
`;
  return { html, policy };
}

/** Returns the source expression of CSP for an inline script or style. */
function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
