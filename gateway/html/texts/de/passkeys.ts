import type { Texts } from '../texts.js';

/** Texte der Passkeys. */
export const passkeys: Texts['auth']['passkeys'] = {
  title: 'Passkeys',
  signIn: 'Stattdessen einen Passkey benutzen',
  intro:
    'Mit einem Passkey meldest du dich mit der Sperre deines Telefons oder Computers oder mit einem Sicherheitsschlüssel an, ohne Passwort.',
  needsScript: 'Passkeys brauchen einen Browser, der sie kennt, mit JavaScript.',
  unable: 'Dieser Browser kann keine Passkeys verwenden, oder die Anfrage wurde abgebrochen.',
  none: 'Du hast noch keinen Passkey.',
  added: (day) => `Hinzugefügt am ${day}`,
  used: (day) => `Zuletzt benutzt am ${day}`,
  unused: 'Noch nicht benutzt',
  name: 'Name des Passkeys',
  nameHint: 'Zum Beispiel der des Geräts. Nur du siehst ihn.',
  add: 'Passkey hinzufügen',
  remove: (name) => `${name} entfernen`,
  wrong: 'Dieser Passkey passt nicht, oder die Seite war zu lange offen. Bitte versuche es noch einmal.',
  full: 'Du hast so viele Passkeys, wie Platz haben. Entferne erst einen.',
};
