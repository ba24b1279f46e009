import type { Texts } from '../texts.js';

/** Texts of the address, moves and the end of an account. They are part of `settings`. */
export const ownAccount: Texts['settings']['ownAccount'] = {
  title: 'Übersicht',
  email: 'E-Mail-Adresse',
  newEmail: 'Neue E-Mail-Adresse',
  current: 'Jetziges Passwort',
  changeEmail: 'Adresse ändern',
  emailSent: 'Öffne den Link in der Mail an die neue Adresse. Bis dahin bleibt die jetzige.',
  sameEmail: 'Das ist deine jetzige Adresse.',
  wrongEmail: 'Das ist keine E-Mail-Adresse.',
  blockedEmail: 'Dieser Server nimmt die Adresse nicht an.',
  tooMany: 'Zu viele Versuche. Bitte versuche es später noch einmal.',
  emailConfirmed: 'Dein Konto hat die neue E-Mail-Adresse.',
  aliases: {
    title: 'Frühere Konten',
    intro:
      'Wenn du von einem anderen Server hierher umziehst, nenne zuerst dein Konto dort. Dann beginne dort den Umzug: Deine Follower kommen mit.',
    account: 'Adresse des früheren Kontos',
    hint: 'Zum Beispiel du@alt.example',
    add: 'Hinzufügen',
    remove: 'Entfernen',
    none: 'Du hast kein früheres Konto genannt.',
    full: 'Du hast schon viele Konten genannt. Entferne erst eins.',
  },
  migration: {
    title: 'Zu einem anderen Konto umziehen',
    intro:
      'Deine Follower werden zum anderen Konto geführt. Deine Beiträge bleiben hier, und dieses Konto kann nichts mehr veröffentlichen. Du kannst alle 30 Tage umziehen. Das andere Konto muss zuerst dieses als früheres Konto nennen.',
    account: 'Adresse des anderen Kontos',
    hint: 'Zum Beispiel du@neu.example',
    start: 'Umziehen',
    movedTo: 'Dieses Konto ist umgezogen zu',
    end: 'Dieses Konto wieder benutzen',
    endText: 'Deine Follower bleiben, wo sie sind.',
    tooSoon: 'Dieses Konto ist in den letzten 30 Tagen schon umgezogen.',
    faults: {
      missing: 'Das Konto gibt es nicht, oder sein Server antwortet nicht.',
      silent: 'Der Server des Kontos antwortet nicht.',
      moved: 'Das Konto ist selbst umgezogen.',
      unnamed:
        'Das Konto nennt dieses nicht als früheres Konto. Wenn du das eben geändert hast, versuche es in fünf Minuten noch einmal.',
    },
  },
  deletion: {
    title: 'Konto löschen',
    intro:
      'Dein Profil, deine Beiträge und Dateien und alle Folgebeziehungen werden hier gelöscht, und andere Server werden darum gebeten. Niemand kann das rückgängig machen, und niemand kann je wieder deinen Namen haben.',
    archive: 'Nimm vorher deine Daten mit',
    submit: 'Mein Konto für immer löschen',
    owner: 'Dir gehört dieser Server. Gib die Rolle zuerst jemand anderem.',
    doneTitle: 'Auf Wiedersehen',
    done: 'Dein Konto ist gelöscht. Deine Beiträge und Dateien sind in einigen Minuten weg.',
  },
};
