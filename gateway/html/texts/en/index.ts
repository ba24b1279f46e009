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

/** All texts in English. The other languages must have the same: the compiler compares them. */
export const en = { auth, cluster, errors, front, lists, moderation, posts, profile, reference, settings, shell, web };
