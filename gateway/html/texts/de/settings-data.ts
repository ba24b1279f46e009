import type { Texts } from '../texts.js';

/** Texts of exports and imports of lists. They are part of `data`. */
const transfer: Texts['settings']['data']['transfer'] = {
  export: 'Exportieren',
  import: 'Importieren',
  exportText: 'Deine Listen als CSV-Dateien. Andere Server mit den Formaten von Mastodon importieren sie.',
  importText: 'Eine CSV-Datei mit einer Liste, die du hier oder auf einem anderen Server exportiert hast.',
  kinds: {
    follows: 'Leute, denen du folgst',
    lists: 'Listen',
    blocks: 'Blockierte Profile',
    mutes: 'Stummgeschaltete Profile',
    domain_blocks: 'Blockierte Server',
    bookmarks: 'Lesezeichen',
  },
  kind: 'Die Liste in der Datei',
  file: 'Datei',
  mode: 'Einträge, die du schon hast',
  merge: 'bleiben',
  overwrite: 'verschwinden, wenn sie nicht in der Datei stehen',
  start: 'Importieren',
  done: (count) => (count === 1 ? '1 Eintrag importiert.' : `${count} Einträge importiert.`),
  removed: (count) => (count === 1 ? '1 früherer Eintrag entfernt.' : `${count} frühere Einträge entfernt.`),
  left: (count) => `Noch ${count}.`,
  paused: 'Der Import macht eine Pause, weil es zu viele Anfragen waren, und geht von selbst weiter.',
  failed: (count) => `${count} konnten nicht importiert werden, zum Beispiel weil dort niemand zu finden ist.`,
  failures: 'Diese Zeilen herunterladen',
  states: {
    running: 'Der Import läuft.',
    done: 'Der Import ist fertig.',
    cancelled: 'Du hast den Import abgebrochen.',
    overdue: 'Der Import hat mehr als 3 Tage gebraucht und wurde beendet.',
    lost: 'Die Datei des Imports ist verloren. Bitte lade sie noch einmal hoch.',
  },
  close: 'Du kannst diese Seite schließen, und sie neu laden, um zu sehen, wie weit der Import ist.',
  cancel: 'Import abbrechen',
  running: 'Ein Import dieser Liste läuft schon. Warte sein Ende ab oder brich ihn ab.',
  unreadable: (kilobytes) => `Die Datei muss eine CSV-Datei in UTF-8 von höchstens ${kilobytes} KB sein.`,
  tooMany: (rows) => `Die Datei hat mehr als ${rows} Einträge.`,
  empty: 'Die Datei nennt nichts dieser Art.',
};

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
  transfer,
};
