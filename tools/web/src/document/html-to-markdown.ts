// Converts an HTML document to Markdown. Runs in a worker thread, because a hostile document can make the libraries run
// for minutes. This file and its imports use no other package of the project: see `html-worker.ts`.

import { Readability } from '@mozilla/readability';
import TurndownService from 'turndown';

import type { HtmlDocument, HtmlElement } from './parse-html.ts';
import { isHtmlElement, parseDocument } from './parse-html.ts';
import { cutTables } from './cut-tables.ts';
import { isNestedDeeper } from './plain-text.ts';
import { addTableRules, withoutTableSigns } from './table-rules.ts';

/** A document as Markdown. */
export interface MarkdownPage {
  readonly title: string;
  readonly text: string;
  /**
   * Part of the document that the text contains: its main part, all of it except its navigation, or the plain text,
   * because the document could not be converted.
   */
  readonly part: 'main' | 'whole' | 'plain';
}

/** Minimum number of characters of a main part. With less, the whole document is converted. */
const MAIN_CHARACTERS = 200;

/** Maximum nesting of elements. The libraries need much time for more, and fail at a few thousand. */
const DEEPEST = 1_000;

/** Elements without text for a reader. */
const UNREAD =
  'title,script,style,noscript,template,svg,canvas,iframe,object,embed,button,input,select,textarea,dialog,nav,[hidden],[role=navigation],[style*="display:none"],[style*="display: none"]';

/**
 * Returns the main part of a document as Markdown: its only `main` element, otherwise the part that Readability finds,
 * otherwise everything. Links become absolute.
 *
 * @throws Error for a document that is nested too deep.
 */
export function htmlToMarkdown(html: string, address: string): MarkdownPage {
  const cut = withoutTableSigns(cutTables(html));
  if (isNestedDeeper(cut, DEEPEST)) throw new Error('the document is nested too deep');
  const document = parseDocument(cut);
  const title = (document.querySelector('title')?.textContent ?? '').replaceAll(/\s+/g, ' ').trim();
  const base = baseOf(document, address);
  const marked = document.querySelectorAll('main, [role=main]');
  const only = marked.length === 1 ? marked[0] : undefined;
  const found = only !== undefined && isLong(only) ? only : articleIn(cut);
  const part = found ?? document.body;
  prepare(part, base);
  return { title, text: markdownOf(part), part: found === undefined ? 'whole' : 'main' };
}

function isLong(element: HtmlElement): boolean {
  return (element.textContent ?? '').trim().length >= MAIN_CHARACTERS;
}

/** Returns the part that Readability finds. It changes its document, so it gets one of its own. */
function articleIn(html: string): HtmlElement | undefined {
  const found = new Readability(parseDocument(html), { charThreshold: MAIN_CHARACTERS, keepClasses: true }).parse();
  const { body } = parseDocument(`<html><body>${found?.content ?? ''}</body></html>`);
  return isLong(body) ? body : undefined;
}

function baseOf(document: HtmlDocument, address: string): string {
  const named = document.querySelector('base[href]')?.getAttribute('href') ?? '';
  return URL.parse(named, address)?.href ?? address;
}

/** Removes what no reader sees, and makes links absolute. */
function prepare(part: HtmlElement, base: string): void {
  for (const element of part.querySelectorAll(UNREAD)) element.remove();
  for (const lineBreak of part.querySelectorAll('pre br')) lineBreak.replaceWith('\n');
  for (const image of part.querySelectorAll('img')) prepareImage(image, base);
  for (const link of part.querySelectorAll('a')) prepareLink(link, base);
}

/** A link inside the page becomes its text. A link without text, and a sign that links to its heading, is removed. */
function prepareLink(link: HtmlElement, base: string): void {
  const href = link.getAttribute('href') ?? '';
  const url = href.startsWith('#') ? null : URL.parse(href, base);
  const isOutside = url !== null && /^(https?|mailto):$/.test(url.protocol);
  const text = (link.textContent ?? '').trim();
  if (link.querySelector('img') === null && (text === '' || (!isOutside && /^[#¶§🔗]$/u.test(text)))) link.remove();
  else if (isOutside) link.setAttribute('href', url.href);
  else link.removeAttribute('href');
  link.removeAttribute('title');
}

/** An image without a description is removed. An address that contains the image itself is removed. */
function prepareImage(image: HtmlElement, base: string): void {
  const url = URL.parse(image.getAttribute('src') ?? '', base);
  const description = (image.getAttribute('alt') ?? '').trim();
  if (description === '' || url === null) image.remove();
  else if (/^https?:$/.test(url.protocol)) image.setAttribute('src', url.href);
  else image.replaceWith(`[image: ${description}]`);
}

function markdownOf(part: HtmlElement): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
  });
  addTableRules(service);
  // The text is read and not rendered. Backslashes before signs would only make names in it hard to find.
  service.escape = (text) => text;
  service.addRule('code', {
    filter: 'pre',
    replacement: (text, node) => (isHtmlElement(node) ? codeBlock(node) : text),
  });
  return service
    .turndown(part)
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

function codeBlock(node: HtmlElement): string {
  const text = (node.textContent ?? '').replace(/^\n+|\s+$/g, '');
  if (text === '') return '';
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `\n\n${fence}${languageOf(node)}\n${text}\n${fence}\n\n`;
}

/** Returns the language in a class name of the block, of its code, or of the two elements around it. */
function languageOf(node: HtmlElement): string {
  const near = [node.querySelector('code'), node, node.parentElement, node.parentElement?.parentElement];
  for (const element of near) {
    const [, language] = LANGUAGE.exec(element?.getAttribute('class') ?? '') ?? [];
    if (language !== undefined && !NO_LANGUAGE.test(language)) return language;
  }
  return '';
}

const LANGUAGE = /(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#-]{1,20})(?:\s|$)/;

/** Words after `highlight-` that are no language, such as those of Sphinx. */
const NO_LANGUAGE = /^(default|none|notranslate|text|plaintext)$/;
