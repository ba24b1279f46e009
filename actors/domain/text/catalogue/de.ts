import type { Catalogue } from './texts.js';

export const de: Catalogue = {
  language: 'de',
  notifications: {
    titles: {
      quote: (who) => `${who} hat deinen Beitrag zitiert`,
      quoted_update: (who) => `${who} hat einen Beitrag bearbeitet, den du zitiert hast`,
      added_to_collection: (who) => `${who} hat dich zu einer Sammlung hinzugefügt`,
      collection_update: (who) => `${who} hat eine Sammlung geändert, in der du bist`,
      severed_relationships: () => 'Einige, denen du folgst oder die dir folgen, wurden entfernt',
      moderation_warning: () => 'Die Moderation hat dich verwarnt',
      'admin.sign_up': (who) => `${who} hat sich registriert`,
      'admin.report': (who) => `${who} hat eine Meldung geschickt`,
    },
    unsupported: 'Diese App kennt diese Art von Mitteilung nicht. Eine neuere Version zeigt vielleicht mehr.',
  },
  mail: {
    hello: (username) => `Hallo ${username},`,
    footer: (account) => `Du bekommst diese Mail wegen des Kontos ${account}.`,
    unsubscribe: 'Diese Mails abbestellen',
    confirmation: {
      subject: 'Bestätige deine E-Mail-Adresse',
      text: (domain) => `willkommen auf ${domain}. Bestätige deine E-Mail-Adresse, um dein Konto zu benutzen.`,
      button: 'Adresse bestätigen',
      otherwise: 'Wenn du dich nicht registriert hast, ignoriere diese Mail.',
    },
    reset: {
      subject: 'Ein neues Passwort',
      text: (domain) =>
        `jemand hat ein neues Passwort für dein Konto auf ${domain} angefordert. Der Link gilt sechs Stunden.`,
      button: 'Neues Passwort wählen',
      otherwise: 'Wenn du es nicht angefordert hast, ignoriere diese Mail: Es ändert sich nichts.',
    },
    passwordChanged: {
      subject: 'Dein Passwort wurde geändert',
      text: (domain) => `dein Passwort auf ${domain} wurde geändert, und alle Geräte wurden abgemeldet.`,
      button: 'Neues Passwort anfordern',
      otherwise: 'Wenn du das nicht warst, fordere jetzt ein neues Passwort an.',
    },
    passkeyAdded: {
      subject: 'Ein Passkey wurde hinzugefügt',
      text: (domain, name) =>
        `wer den Passkey „${name}“ hat, kann sich ab jetzt in deinem Konto auf ${domain} anmelden.`,
      button: 'Meine Passkeys zeigen',
      otherwise: 'Wenn du das nicht warst, entferne ihn, beende alle Sitzungen und ändere jetzt dein Passwort.',
    },
    repeatedSignUp: {
      subject: 'Du hast schon ein Konto',
      text: (domain) =>
        `jemand wollte mit dieser E-Mail-Adresse ein Konto auf ${domain} erstellen. Du hast dort schon eins.`,
      button: 'Anmelden',
      otherwise: 'Wenn du das nicht warst, ignoriere diese Mail: Es ändert sich nichts.',
    },
    newAddress: {
      subject: 'Bestätige deine neue E-Mail-Adresse',
      text: (domain) =>
        `dein Konto auf ${domain} bekommt diese E-Mail-Adresse, sobald du sie bestätigst. Der Link gilt einen Tag.`,
      button: 'Adresse bestätigen',
      otherwise: 'Wenn du nicht darum gebeten hast, ignoriere diese Mail: Es ändert sich nichts.',
    },
    emailChanged: {
      subject: 'Deine E-Mail-Adresse wurde geändert',
      text: (domain) =>
        `dein Konto auf ${domain} hat jetzt eine andere E-Mail-Adresse. An diese Adresse geht keine Mail mehr dazu.`,
      otherwise: 'Wenn du dich nicht registriert hast, ignoriere diese Mail.',
      appeal: (contact) => `Wenn du das nicht warst, schreib sofort an ${contact}.`,
    },
    signIn: {
      subject: 'Eine neue Anmeldung bei deinem Konto',
      text: (domain) =>
        `jemand hat sich bei deinem Konto auf ${domain} angemeldet, mit einem Browser oder von einer Adresse, die wir noch nicht kennen.`,
      button: 'Neues Passwort anfordern',
      otherwise:
        'Wenn du das warst, ist nichts zu tun. Wenn nicht, fordere ein neues Passwort an: Das meldet alle Geräte ab.',
      time: 'Zeit',
      address: 'IP-Adresse',
      browser: 'Browser',
      unknownBrowser: 'unbekannt',
    },
    archiveReady: {
      subject: 'Dein Archiv ist fertig',
      text: (domain) => `das Archiv deiner Daten auf ${domain} ist fertig. Melde dich an, um es herunterzuladen.`,
      until: 'Verfügbar bis',
      button: 'Archiv herunterladen',
      otherwise:
        'Wenn du es nicht angefordert hast, wähle ein neues Passwort: Jemand anderes ist mit deinem Konto angemeldet.',
    },
    deleted: {
      subject: 'Dein Konto wurde gelöscht',
      text: (domain) =>
        `dein Konto auf ${domain} wurde gelöscht, mit Profil, Beiträgen und Dateien. An diese Adresse geht keine Mail mehr dazu.`,
    },
    decisions: {
      none: { subject: 'Du wurdest verwarnt', text: 'die Moderation hat dich verwarnt.' },
      delete_statuses: {
        subject: 'Beiträge von dir wurden gelöscht',
        text: 'die Moderation hat Beiträge von dir gelöscht.',
      },
      mark_statuses_as_sensitive: {
        subject: 'Beiträge von dir wurden mit einer Warnung versehen',
        text: 'die Moderation hat Beiträge von dir mit einer Warnung versehen. Ihre Medien sind verdeckt, bis jemand sie öffnet.',
      },
      approve: {
        subject: 'Dein Konto wurde freigegeben',
        text: 'dein Konto wurde freigegeben. Du kannst dich jetzt anmelden.',
      },
      reject: {
        subject: 'Deine Registrierung wurde nicht freigegeben',
        text: 'die Moderation hat deine Registrierung geprüft und nicht freigegeben. Deine Daten wurden gelöscht.',
      },
      disable: {
        subject: 'Dein Konto wurde eingefroren',
        text: 'du kannst dich bei deinem Konto nicht mehr anmelden. Deine Beiträge bleiben.',
      },
      enable: {
        subject: 'Dein Konto ist nicht mehr eingefroren',
        text: 'du kannst dich bei deinem Konto wieder anmelden.',
      },
      silence: {
        subject: 'Dein Konto wurde eingeschränkt',
        text: 'deine Beiträge sehen nur noch diejenigen, die dir folgen. Du kannst dein Konto weiter benutzen.',
      },
      unsilence: {
        subject: 'Dein Konto ist nicht mehr eingeschränkt',
        text: 'deine Beiträge sind wieder für alle zu sehen.',
      },
      sensitive: {
        subject: 'Deine Medien werden mit einer Warnung versehen',
        text: 'die Medien deiner Beiträge sind verdeckt, bis jemand sie öffnet.',
      },
      unsensitive: {
        subject: 'Deine Medien werden nicht mehr mit einer Warnung versehen',
        text: 'die Medien deiner Beiträge werden wieder so gezeigt, wie du es einstellst.',
      },
      suspend: {
        subject: 'Dein Konto wurde gesperrt',
        text: 'niemand kann dein Konto sehen, und du kannst dich nicht anmelden. Nach 30 Tagen wird es gelöscht.',
      },
      unsuspend: {
        subject: 'Dein Konto ist nicht mehr gesperrt',
        text: 'dein Konto ist wieder für alle zu sehen, und du kannst dich wieder anmelden.',
      },
    },
    decision: {
      reason: 'Die Moderation schreibt:',
      appeal: (contact) => `Wenn du das für einen Irrtum hältst, schreib an ${contact}.`,
      signIn: 'Anmelden',
    },
    report: {
      subject: (id) => `Neue Meldung Nr. ${id}`,
      text: (domain) => `jemand hat ein Konto auf ${domain} gemeldet.`,
      target: 'Gemeldetes Konto',
      by: 'Gemeldet von',
      category: 'Grund',
      statuses: 'Gemeldete Beiträge',
      comment: 'Der Kommentar lautet:',
      button: 'Konto öffnen',
      categories: {
        spam: 'Spam',
        legal: 'rechtswidriger Inhalt',
        violation: 'Verstoß gegen Serverregeln',
        other: 'etwas anderes',
      },
    },
  },
  push: {
    titles: {
      mention: (who) => `${who} hat dich erwähnt`,
      status: (who) => `${who} hat einen Beitrag veröffentlicht`,
      reblog: (who) => `${who} hat deinen Beitrag geteilt`,
      follow: (who) => `${who} folgt dir`,
      follow_request: (who) => `${who} möchte dir folgen`,
      favourite: (who) => `${who} hat deinen Beitrag favorisiert`,
      poll: (who) => `Eine Umfrage von ${who}, an der du teilgenommen hast, ist beendet`,
      update: (who) => `${who} hat einen Beitrag bearbeitet`,
    },
    ownPoll: 'Deine Umfrage ist beendet',
    filtered: (filter) => `Verborgen durch deinen Filter „${filter}“`,
    test: {
      title: 'Mitteilungen kommen an',
      text: (domain) => `Das ist die Probe, die du auf ${domain} angefordert hast.`,
    },
  },
};
