import { createHash } from 'node:crypto';
import { base } from './base.js';
import { forms } from './forms.js';
import { posts } from './posts.js';
import { reference } from './reference.js';
import { tokens } from './tokens.js';
import { web } from './web.js';

/** Stylesheet of all pages. */
export const STYLE = [tokens, base, forms, posts, reference, web].join('').replaceAll(/\n+/g, '\n').trim();

const DIGEST_CHARS = 12;

/** Path of the stylesheet. It changes with the content, so browsers may keep each version for good. */
export const STYLE_PATH = `/assets/style-${createHash('sha256').update(STYLE).digest('hex').slice(0, DIGEST_CHARS)}.css`;
