// Inline Markdown: formats the words of a paragraph, with emphasis, code and links.

import type { Token } from 'markdown-it';

import type { Shown, Style } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';

/** Returns the lines of inline tokens. A line break in the text begins a new line. `style` applies to plain words. */
export function inlineLines(tokens: readonly Token[], style?: Style): readonly Shown[] {
  const lines: Shown[][] = [[]];
  const open: Style[] = style === undefined ? [] : [style];
  const links: { readonly address: string; text: string }[] = [];
  const add = (shown: Shown): void => void lines.at(-1)?.push(shown);
  const addWords = (text: string): void => {
    if (text === '') return;
    const current = open.at(-1);
    add(current === undefined ? text : withStyle(current, text));
    for (const link of links) link.text += text;
  };
  for (const token of tokens) {
    switch (token.type) {
      case 'softbreak':
      case 'hardbreak':
        lines.push([]);
        break;
      case 'code_inline':
        add(withStyle('cyan', token.content));
        for (const link of links) link.text += token.content;
        break;
      case 'strong_open':
        open.push('bold');
        break;
      case 'em_open':
        open.push('italic');
        break;
      case 's_open':
        open.push('dim');
        break;
      case 'strong_close':
      case 'em_close':
      case 's_close':
        open.pop();
        break;
      case 'link_open':
        links.push({ address: String(token.attrGet('href') ?? ''), text: '' });
        open.push('underline');
        break;
      case 'link_close':
        open.pop();
        add(addressOf(links.pop()));
        break;
      case 'image':
        add([`[image: ${token.content}]`, withStyle('dim', ` (${String(token.attrGet('src') ?? '')})`)]);
        break;
      default:
        addWords(token.content);
    }
  }
  return lines;
}

/** Returns the address of a link after its text. A link whose text is its address shows the address once. */
function addressOf(link: { readonly address: string; readonly text: string } | undefined): Shown {
  if (link === undefined || [link.text, `mailto:${link.text}`].includes(link.address)) return '';
  return withStyle('dim', ` (${readable(link.address)})`);
}

/** Returns an address with its percent-encoded letters decoded. Other percent signs stay. */
function readable(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}
