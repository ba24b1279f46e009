/** Checks that run in the page; returns one line for each fault. The function must stand alone: it is sent as text. */
export function faultsInPage(options: { readonly instance: string; readonly isFramed: boolean }): string[] {
  const faults: string[] = [];
  const name = (element: Element) => `${element.outerHTML.slice(0, 120)}`;
  const parse = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([r = 0, g = 0, b = 0]: readonly number[]) => {
    const linear = (value: number) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  };
  const contrast = (a: readonly number[], b: readonly number[]) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
    return (high + 0.05) / (low + 0.05);
  };
  const groundOf = (start: Element | null): readonly number[] => {
    for (let element = start; element !== null; element = element.parentElement) {
      const colour = parse(getComputedStyle(element).backgroundColor);
      if (colour.length === 3 || (colour[3] ?? 0) === 1) return colour;
    }
    return [255, 255, 255];
  };
  const isVisible = (element: Element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true });
  };
  /** A link within a sentence takes the height of its line (WCAG 2.5.8, exception `inline`). */
  const isInText = (element: Element) => {
    const block = element.closest('p, dd, dt, li, td, .content, blockquote');
    if (element.tagName !== 'A' || block === null || getComputedStyle(element).display !== 'inline') return false;
    return block.matches('.content, .content *, dd, td') || block.textContent?.trim() !== element.textContent?.trim();
  };

  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) faults.push(`side scroll: ${scrollWidth} > ${innerWidth}`);
  const headings = document.querySelectorAll('h1').length;
  if (headings !== 1) faults.push(`${headings} h1`);
  if (!document.title.endsWith(` – ${options.instance}`) || document.title.startsWith(' –'))
    faults.push(`title: ${document.title}`);
  if (document.documentElement.lang === '') faults.push('no lang');
  const onwards = [...document.querySelectorAll<HTMLAnchorElement>('main a[href], nav a[href]')].filter(
    ({ href, origin, pathname }) => origin === location.origin && pathname !== location.pathname && href !== '',
  );
  if (onwards.length === 0) faults.push('no link onwards');
  for (const field of document.querySelectorAll('input, textarea, select')) {
    if (field.matches('[type=hidden], [type=checkbox], [type=radio], [type=file]') || !isVisible(field)) continue;
    const { borderTopColor } = getComputedStyle(field);
    const ratio = contrast(parse(borderTopColor), groundOf(field.parentElement));
    if (ratio < 3) faults.push(`border ${ratio.toFixed(2)}:1 of ${name(field)}`);
  }
  for (const target of document.querySelectorAll('a[href], button, input, select, textarea, summary')) {
    if (target.matches('.skip') || !isVisible(target) || isInText(target)) continue;
    const { width, height } = target.getBoundingClientRect();
    if (width < 24 || height < 24) faults.push(`target ${width.toFixed()}×${height.toFixed()}: ${name(target)}`);
  }
  for (const element of document.querySelectorAll('*'))
    for (const { name: attribute, value } of element.attributes)
      if (/^on/i.test(attribute) || /^\s*javascript:/i.test(value) || attribute === 'style')
        faults.push(`attribute ${attribute}: ${name(element)}`);
  for (const script of document.scripts)
    if (new URL(script.src || 'none:').origin !== location.origin) faults.push(`script: ${name(script)}`);
  if (!options.isFramed && document.querySelector('.skip') === null) faults.push('no skip link');
  return faults;
}

/** Returns what has the focus, and whether a person sees that it has. */
export function focused(): { readonly name: string; readonly isSkip: boolean; readonly isVisible: boolean } {
  const element = document.activeElement ?? document.body;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  return {
    name: element.outerHTML.slice(0, 120),
    isSkip: element.matches('.skip'),
    isVisible: element === document.body || (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2),
  };
}

/**
 * Returns which of the page's elements are visible, and what the judgement of colours reads of the styles of these, as
 * texts. The function must stand alone: it is sent as text.
 */
export function appearance(): { readonly shown: string; readonly colours: string } {
  const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const names = [
    ...['color', 'background-color', 'background-image', 'opacity', 'text-shadow', 'mix-blend-mode', 'filter'],
    ...['font-size', 'font-weight', 'text-decoration-line', 'border-bottom-style', 'border-bottom-color'],
    ...['display', 'position', 'z-index', 'float', 'transform', 'clip-path'],
  ];
  let [shown, colours] = ['', ''];
  for (const element of document.querySelectorAll('*')) {
    shown += isShown(element) ? '1' : '0';
    if (!isShown(element)) continue;
    const style = getComputedStyle(element);
    for (const name of names) colours += `${style.getPropertyValue(name)};`;
  }
  return { shown, colours };
}
