import MarkdownIt from 'markdown-it';
import { Raw } from './raw.js';

/** HTML in the text stays text, and links lead to web and mail addresses only: the library's defaults. */
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });
// The page has one h1, its title.
markdown.core.ruler.push('lower_headings', ({ tokens }) => {
  for (const token of tokens) if (/^h[1-5]$/.test(token.tag)) token.tag = `h${Number(token.tag[1]) + 1}`;
});

/** A text that administrators wrote in Markdown. */
export const Markdown = ({ text }: { readonly text: string }) => <Raw class="content" html={markdown.render(text)} />;
