import type { HTMLAttributes } from 'preact';

/**
 * Inserts HTML as it is. Only for HTML that this server has made or sanitised: rendered posts and profiles, Markdown, and
 * parts of pages that were rendered before. All other text is escaped by the library. The only place that may do so
 * (tidy test).
 */
export function Raw({
  html,
  as: Tag = 'div',
  ...rest
}: { readonly html: string; readonly as?: 'div' | 'span' | 'li' | 'article' | 'section' } & HTMLAttributes) {
  return <Tag {...(rest as object)} dangerouslySetInnerHTML={{ __html: html }} />;
}
