import type { Texts } from '../texts.js';

/** Texts of what people take along and bring with them. They are part of `settings`. */
export const data: Texts['settings']['data'] = {
  title: 'Deine Daten',
  archive: {
    title: 'Archiv',
    intro:
      'Eine ZIP-Datei mit allem, was du veröffentlicht hast: dein Profil, deine Beiträge mit ihren Dateien, Favoriten und Lesezeichen, im Format von ActivityPub.',
    request: 'Archiv erstellen',
    again: 'Das nächste kannst du anfordern ab',
    building:
      'Dein Archiv wird erstellt. Du bekommst eine E-Mail, wenn es fertig ist, und kannst diese Seite schließen.',
    ready: 'Dein Archiv ist fertig.',
    download: 'Archiv herunterladen',
    size: (size) => `Größe: ${size}`,
    until: 'Es ist verfügbar bis',
    partial: 'Es ist zu groß für alle deine Dateien: Die neuesten fehlen.',
    refused: 'Du kannst alle 7 Tage ein Archiv anfordern.',
  },
};
