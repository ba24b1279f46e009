import type { Texts } from '../texts.js';

export const otp: Texts['auth']['otp'] = {
  title: 'Zweiter Faktor',
  ask: 'Code des zweiten Faktors',
  askText: 'Öffne die App auf deinem Telefon und gib die sechs Ziffern ein, oder einen deiner Ersatzcodes.',
  code: 'Code',
  wrong: 'Dieser Code ist falsch oder schon benutzt.',
  again: 'Von vorn beginnen',
  expired: 'Die Anmeldung hat zu lange gedauert. Bitte beginne von vorn.',
  intro: 'Mit einem zweiten Faktor genügt ein gestohlenes Passwort nicht, um sich anzumelden.',
  scan: 'Lies dieses Bild mit einer App für Einmalpasswörter ein.',
  picture: 'QR-Code mit dem Geheimnis deines zweiten Faktors',
  secret: 'Oder gib dieses Geheimnis dort ein:',
  password: 'Dein Passwort',
  firstCode: 'Sechs Ziffern, die die App jetzt zeigt',
  enable: 'Einschalten',
  enabled: 'Der zweite Faktor ist eingeschaltet.',
  keep: 'Schreib diese Ersatzcodes auf. Jeder gilt einmal anstelle deines Telefons. Sie werden nicht wieder gezeigt.',
  left: (count) => `Übrige Ersatzcodes: ${count}`,
  disable: 'Ausschalten',
  disabled: 'Der zweite Faktor ist ausgeschaltet.',
  disableHint: 'Neue Ersatzcodes bekommst du, wenn du ihn aus- und wieder einschaltest.',
};

/** Texte der Passkeys. */
export const passkeys: Texts['auth']['passkeys'] = {
  title: 'Passkeys',
  signIn: 'Stattdessen einen Passkey benutzen',
  intro:
    'Mit einem Passkey meldest du dich mit der Sperre deines Telefons oder Computers oder mit einem Sicherheitsschlüssel an, ohne Passwort. Ein neues Passwort, das du per Mail anforderst, entfernt alle Passkeys.',
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
