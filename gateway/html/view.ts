import type { ComponentChildren } from 'preact';

/** Facts about one page besides its content. */
export interface View {
  /** Title without the instance's. */
  readonly title: string;
  readonly status?: number;
  /** Width of the content: a form, a text, or a table. Absent: a text. */
  readonly width?: 'form' | 'read' | 'wide';
  /** Address by which search engines know the page, as a path. */
  readonly canonical?: string;
  /** Plain text and picture for previews elsewhere (OpenGraph). */
  readonly description?: string;
  readonly image?: string;
  readonly kind?: 'website' | 'profile' | 'article';
  /** True: search engines leave the page out. */
  readonly isUnlisted?: boolean;
  /** Further elements of the head. */
  readonly head?: ComponentChildren;
  /** Path of a script. */
  readonly script?: string;
  /** `public`: equal for all readers, and browsers ask again by the ETag. Absent: nobody stores the page. */
  readonly cache?: 'public';
  /** CSP form-action: targets that the forms may reach, also through redirects. Absent: this server. */
  readonly formAction?: string;
  /** True: other sites may show the page in a frame. */
  readonly isEmbeddable?: boolean;
  readonly cookie?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}
