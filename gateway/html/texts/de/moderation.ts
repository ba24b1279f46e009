import type { Texts } from '../texts.js';

/** Texts of the pages for moderators. */
export const moderation: Texts['moderation'] = {
  reports: 'Meldungen',
  open: 'Offen',
  resolved: 'Erledigt',
  none: 'Hier gibt es keine Meldungen.',
  by: 'Gemeldet von',
  posts: 'Gemeldete Beiträge',
  rules: 'Verletzte Regeln',
  assigned: 'Zugewiesen an',
  assign: 'Mir zuweisen',
  unassign: 'Zuweisung aufheben',
  resolve: 'Erledigen',
  reopen: 'Wieder öffnen',
};
