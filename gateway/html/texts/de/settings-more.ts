import type { Texts } from '../texts.js';

/** Texts of featured hashtags and people. They are part of `settings`. */
export const featured: Texts['settings']['featured'] = {
  title: 'Empfohlen',
  intro: 'Dein Profil zeigt diese Hashtags und Leute. Du kannst Leute empfehlen, denen du folgst.',
  tag: 'Hashtag',
  person: 'Adresse von jemandem, dem du folgst',
  missing: 'Hier gibt es niemanden mit dieser Adresse.',
  add: 'Empfehlen',
  remove: 'Entfernen',
};

/** Texts of the applications that a person develops. They are part of `settings`. */
export const applications: Texts['settings']['applications'] = {
  title: 'Entwicklung',
  intro:
    'Anwendungen, die du entwickelst. Jede braucht eine Client-ID und ein Geheimnis, um Leute um Zugriff zu bitten.',
  none: 'Du hast keine Anwendungen.',
  create: 'Neue Anwendung',
  name: 'Name',
  website: 'Website',
  redirects: 'Adressen der Weiterleitung',
  redirectsHint: 'Eine in jeder Zeile.',
  scopes: 'Rechte',
  client: 'Client-ID',
  secret: 'Client-Geheimnis',
  secretOnce: 'Kopiere das Geheimnis jetzt: Es wird nicht noch einmal gezeigt.',
  renew: 'Neues Geheimnis',
  remove: 'Löschen',
};

/** Texts of suggested people. They are part of `settings`. */
export const suggestions: Texts['settings']['suggestions'] = {
  title: 'Vorschläge',
  intro: 'Leute, denen du vielleicht folgen willst.',
  follow: 'Folgen',
  dismiss: 'Nicht vorschlagen',
};
