import type { Texts } from '../texts.js';
import { auth } from './auth.js';
import { cluster } from './cluster.js';
import { errors } from './errors.js';
import { front } from './front.js';
import { lists } from './lists.js';
import { moderation } from './moderation.js';
import { posts } from './posts.js';
import { profile } from './profile.js';
import { reference } from './reference.js';
import { settings } from './settings.js';
import { shell } from './shell.js';
import { web } from './web.js';

/** All texts in German. */
export const de: Texts = {
  auth,
  cluster,
  errors,
  front,
  lists,
  moderation,
  posts,
  profile,
  reference,
  settings,
  shell,
  web,
};
