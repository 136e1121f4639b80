// Parses HTML. The project compiles without the types of a browser, so the used part of a document is declared here.

import { parseHTML } from 'linkedom';

/** The part of an element that the conversion uses. */
export interface HtmlElement {
  readonly textContent: string | null;
  readonly parentElement: HtmlElement | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  querySelector(selector: string): HtmlElement | null;
  querySelectorAll(selector: string): ArrayLike<HtmlElement> & Iterable<HtmlElement>;
  remove(): void;
  replaceWith(text: string): void;
}

/** The part of a document that the conversion uses. */
export interface HtmlDocument extends Pick<HtmlElement, 'querySelector' | 'querySelectorAll'> {
  readonly body: HtmlElement;
}

/** Parses a document. A fragment gets a body, which the parser does not add. */
export function parseDocument(html: string): HtmlDocument {
  const { document }: { readonly document: HtmlDocument } = parseHTML(html);
  if (document.querySelector('html > body') !== null) return document;
  const whole: { readonly document: HtmlDocument } = parseHTML(`<html><head></head><body>${html}</body></html>`);
  return whole.document;
}

/** Returns true for an element. The conversion to Markdown passes nodes without a known type. */
export function isHtmlElement(node: object): node is HtmlElement {
  return 'querySelectorAll' in node && 'getAttribute' in node;
}
