// Builds the page around a session or an audit. The page is one file that loads and runs nothing. It is readable in light
// and dark mode and on paper.

import type { Markup } from './markup.ts';
import { markup } from './markup.ts';

// Content security policy of the page: no scripts, no connections, and only pictures that are embedded in the file.
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --card: #f6f8fa; --line: #d0d7de;
  --user: #0a5fb4; --model: #6b3fa0; --good: #1a6e36; --bad: #b3261e; --mark: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e2e6eb; --soft: #9aa4af; --paper: #14171b; --card: #1d2127; --line: #363d46;
  --user: #79b8ff; --model: #c9a7f5; --good: #6fcf8c; --bad: #ff8f85; --mark: #e3b341; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; }
a { color: inherit; }
.soft, .at { color: var(--soft); font-size: .85rem; }
.at { text-decoration: none; font-weight: 400; font-variant-numeric: tabular-nums; }
.at:hover { text-decoration: underline; }
article { margin: 1.25rem 0; padding-left: .9rem; border-left: 3px solid var(--line); }
article.user { border-color: var(--user); } article.model { border-color: var(--model); }
.who { display: flex; gap: .75rem; align-items: baseline; justify-content: space-between; flex-wrap: wrap; font-weight: 600; }
.user > .who { color: var(--user); } .model > .who { color: var(--model); }
.words { white-space: pre-wrap; overflow-wrap: anywhere; margin-block: .3rem; unicode-bidi: isolate; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin-block: .4rem; padding: .6rem .75rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 6px; font: .84rem/1.45 ui-monospace, monospace; unicode-bidi: isolate; tab-size: 4; }
details { margin: .5rem 0 .5rem .9rem; } article details, details.band { margin-left: 0; } details > :not(summary) { margin-left: 1.1rem; }
summary { cursor: pointer; overflow-wrap: anywhere; } summary code { font: .84rem ui-monospace, monospace; }
.line { margin-block: .5rem; color: var(--soft); font-size: .9rem; overflow-wrap: anywhere; }
.good { color: var(--good); } .bad { color: var(--bad); } .mark { color: var(--mark); }
.band { margin: 1.75rem 0; padding: .45rem .75rem; border: 1px solid var(--mark); border-radius: 6px; font-size: .9rem;
  overflow-wrap: anywhere; }
img { max-width: 100%; max-height: 34rem; border: 1px solid var(--line); border-radius: 6px; display: block; margin: .4rem 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .25rem .7rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child, th:last-child, td:last-child { text-align: left; } td:last-child { white-space: normal; min-width: 11rem; }
tfoot td { font-weight: 600; border-bottom: 0; }
@media print { details > * { break-inside: avoid; } }
`;

/** Returns the part of a page before its content. `style` is added to the style of all pages. */
export function pageHead(title: string, style = ''): Markup {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Tidemark">
<title>${title}</title>
<style>${{ html: STYLE + style }}</style>
</head>
<body>
`;
}

/** End of a page, after its content. */
export const PAGE_END: Markup = { html: '</body>\n</html>' };
