import { escapeHtml } from './plain-text.js';

/** Text that is already HTML. All other values in a page or mail are escaped. */
export interface Html {
  readonly html: string;
}

/** Builds HTML and escapes the values, unless they are Html or lists of it. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  const shown = (value: string | Html | readonly Html[]): string => {
    if (typeof value === 'string') return escapeHtml(value);
    return 'html' in value ? value.html : value.map((item) => item.html).join('');
  };
  return { html: parts.reduce((text, part, index) => text + shown(values[index - 1] ?? '') + part) };
}

export const nothing: Html = { html: '' };
