const padded = (head: string, piece: string, times: number) => head + piece.repeat(times);

/** Pages of up to 1 MB, by path, that are crafted to slow down an HTML parser. */
export const hostilePages: Readonly<Record<string, string>> = {
  '/nested': '<div>'.repeat(200_000),
  '/nested-in-the-head': padded('<head>', '<x>', 300_000),
  '/closed-paragraphs': '<div>'.repeat(20_000) + '</p>'.repeat(20_000),
  '/paragraphs': '<p>'.repeat(300_000),
  '/closed': '</p>'.repeat(250_000),
  '/attributes': `<meta ${Array.from({ length: 90_000 }, (_, index) => `a${index}=1`).join(' ')}>`,
  '/same-attributes': padded('<meta ', 'a=1 ', 250_000),
  '/entities': padded('<title>', '&amp;', 200_000),
  '/numbers': padded('<title>', '&#x41;', 160_000),
  '/open-entities': padded('<title>', '&amp', 250_000),
  '/open-comment': padded('<!--', '<!--', 250_000),
  '/open-tags': '<a '.repeat(330_000),
  '/open-script': padded('<script>', '</scrip', 140_000),
  '/spaces': `<meta name=description content="${' '.repeat(1_000_000)}">`,
  '/metas': '<meta name=a content=b>'.repeat(45_000),
  '/declarations': '<!x>'.repeat(250_000),
  '/drawings': '<svg><title>'.repeat(80_000),
};
