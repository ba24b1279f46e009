/**
 * A reblog is hidden if its original, or another reblog of it, is among this many rows below: the viewer saw it there.
 * Source: Mastodon FeedManager::REBLOG_FALLOFF, which counts the statuses that a feed shows. Here it counts all rows
 * read; some rows of a ring are deleted, and some rows of the store are for others.
 */
export const REPEAT_ROWS = 40;
