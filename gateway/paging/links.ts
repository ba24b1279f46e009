/**
 * Converts the `Link` header of a list of the API to links of the page at `url`, with the same queries. The first page has no
 * newer one.
 */
export function linksOf(
  header: string | undefined,
  url: string,
): { newer: string | undefined; older: string | undefined } {
  const [path, own = ''] = url.split('?', 2);
  const to = (relation: string) => {
    const query = new RegExp(`<[^>?]*\\?([^>]*)>; rel="${relation}"`).exec(header ?? '')?.[1];
    return query === undefined ? undefined : `${path}?${query}`;
  };
  return { newer: /(?:^|&)(?:max|min)_id=/.test(own) ? to('prev') : undefined, older: to('next') };
}
