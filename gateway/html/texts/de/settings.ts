import type { Texts } from '../texts.js';

export const settings: Texts['settings'] = {
  title: 'Einstellungen',
  save: 'Speichern',
  saved: 'Gespeichert.',
  preferences: 'Vorlieben',
  visibility: 'Wer deine neuen Beiträge sieht, wenn du nichts anderes wählst',
  language: 'Sprache deiner neuen Beiträge',
  languageHint: 'Ein Kürzel wie en oder de. Leer: Sie wird am Text erkannt.',
  sensitive: 'Die Medien meiner Beiträge als heikel kennzeichnen',
  hidden: 'Nicht zeigen, wem ich folge und wer mir folgt',
  discoverable: 'Mein Konto anderen vorschlagen',
  indexable: 'Alle dürfen meine öffentlichen Beiträge in der Suche finden',
  bot: 'Dieses Konto ist automatisch',
};
