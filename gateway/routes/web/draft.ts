/** Fields of a post as the form sends them. */
export interface Written {
  readonly status?: string;
  readonly spoiler_text?: string;
  readonly visibility?: string;
  readonly fault?: string;
}

/** Returns the content of the form for what was typed. */
export const written = ({ status = '', spoiler_text = '', fault }: Written) => ({
  text: status,
  warning: spoiler_text,
  ...(fault !== undefined && { fault }),
});
