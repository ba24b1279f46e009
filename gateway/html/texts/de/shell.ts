import type { Texts } from '../texts.js';

export const shell: Texts['shell'] = {
  skip: 'Zum Inhalt springen',
  main: 'Hauptmenü',
  home: 'Startseite',
  local: 'Beiträge von hier',
  explore: 'Entdecken',
  signIn: 'Anmelden',
  signUp: 'Konto erstellen',
  settings: 'Einstellungen',
  signOut: 'Abmelden',
  moderation: 'Moderation',
  about: 'Über diesen Server',
  rules: 'Regeln',
  privacy: 'Datenschutz',
  terms: 'Nutzungsbedingungen',
  source: 'Quelltext',
  notWritten: 'Hier steht noch nichts.',
  newer: 'Neuere',
  older: 'Ältere',
  nothingHere: 'Hier ist noch nichts.',
  backToFront: 'Zur Startseite des Servers',
};
