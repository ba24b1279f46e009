import type { Texts } from '../texts.js';

/** Texts of the pages with lists that moderators keep. */
export const entries: Texts['moderation']['entries'] = {
  add: 'Hinzufügen',
  change: 'Ändern',
  remove: 'Entfernen',
  save: 'Speichern',
  none: 'Es gibt keine Einträge.',
  until: 'bis',
  collections: {
    domain_blocks: {
      title: 'Eingeschränkte Server',
      intro: 'Einschränkungen gelten auch für Subdomains, sofern eine keine eigene hat.',
    },
    domain_allows: {
      title: 'Erlaubte Server',
      intro:
        'Sperrlisten schränken diese Server nie ein. Bei begrenzter Föderation spricht der Server mit keinen anderen.',
    },
    email_domain_blocks: {
      title: 'Gesperrte E-Mail-Anbieter',
      intro: 'Niemand kann sich mit einer Adresse dieser Anbieter registrieren.',
    },
    ip_blocks: { title: 'Gesperrte IP-Adressen', intro: 'Adressen und Bereiche wie 192.0.2.1 oder 2001:db8::/48.' },
    canonical_email_blocks: {
      title: 'Gesperrte E-Mail-Adressen',
      intro:
        'Niemand kann sich mit diesen Adressen registrieren, in keiner Schreibweise. Der Server speichert nur ihre Prüfsummen.',
    },
    rules: {
      title: 'Regeln',
      intro: 'Wer sich registriert, stimmt diesen Regeln zu; Meldungen nennen die verletzten.',
    },
    announcements: { title: 'Ankündigungen', intro: 'Alle Angemeldeten sehen sie, bis sie enden.' },
    custom_emojis: {
      title: 'Emojis',
      intro: 'Ein neues Bild für einen vorhandenen Namen ersetzt das alte.',
    },
  },
  fields: {
    domain: 'Domain',
    severity: 'Einschränkung',
    reject_media: 'Medien ablehnen',
    reject_reports: 'Meldungen ablehnen',
    obfuscate: 'Teile des Namens in der öffentlichen Liste verbergen',
    public_comment: 'Öffentlicher Kommentar',
    private_comment: 'Kommentar für die Moderation',
    ip: 'Adresse oder Bereich',
    comment: 'Kommentar',
    expires_in: 'Endet',
    email: 'E-Mail-Adresse',
    canonical_email_hash: 'Oder ihre Prüfsumme',
    text: 'Text',
    hint: 'Erläuterung',
    shortcode: 'Name',
    category: 'Kategorie',
    picture: 'Bild',
  },
  hints: {
    domain: 'Zum Beispiel example.org.',
    canonical_email_hash: '64 hexadezimale Ziffern, von einem anderen Server.',
    shortcode: 'Zwei oder mehr Buchstaben, Ziffern und _.',
    picture: 'Höchstens 256 KB.',
  },
  options: {
    silence: 'Stummschalten: nur Follower sehen seine Konten',
    suspend: 'Sperren: nichts geht hin, nichts kommt an',
    noop: 'Nur die folgenden Einschränkungen',
    sign_up_requires_approval: 'Registrierungen brauchen eine Freigabe',
    sign_up_block: 'Keine Registrierungen',
    no_access: 'Gar kein Zugang',
  },
  ends: {
    never: 'Nie',
    keep: 'Wie bisher',
    '86400': 'In einem Tag',
    '604800': 'In einer Woche',
    '2592000': 'In 30 Tagen',
    '31536000': 'In einem Jahr',
  },
  refusals: (count) =>
    count === 1 ? '1 abgelehnte Registrierung in dieser Woche' : `${count} abgelehnte Registrierungen in dieser Woche`,
  exported: 'Als CSV exportieren',
  imported: 'CSV importieren',
  file: 'CSV-Datei',
  fileHint: 'Wie Mastodon sie exportiert. Höchstens 2 MB. Domains, die schon in der Liste stehen, bleiben unverändert.',
  noFile: 'Wähle eine Datei, die in jeder Zeile eine Domain nennt.',
  added: (added, skipped) => `${added} hinzugefügt, ${skipped} übersprungen.`,
  trends: {
    title: 'Trends',
    intro: 'Diese sind gerade in Gebrauch. Nur gezeigte stehen in den Listen, die alle sehen.',
    tags: 'Hashtags',
    links: 'Links',
    statuses: 'Beiträge',
    shown: 'Gezeigt',
    hidden: 'Verborgen',
    waits: 'Wartet auf eine Entscheidung',
    approve: 'Zeigen',
    reject: 'Verbergen',
  },
};
