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
