import type { Texts } from '../texts.js';
import { access } from './access.js';
import { otp, passkeys } from './second-factor.js';

export const auth: Texts['auth'] = {
  access,
  otp,
  passkeys,
  signIn: 'Anmelden',
  login: 'E-Mail-Adresse oder Name',
  password: 'Passwort',
  forgot: 'Passwort vergessen?',
  noAccount: 'Noch kein Konto?',
  create: 'Konto erstellen',
  invited: 'Jemand hat dich eingeladen.',
  haveAccount: 'Du hast schon ein Konto?',
  signUp: (title) => `Ein Konto auf ${title} erstellen`,
  username: 'Name',
  usernameHint: (domain) => `Buchstaben, Ziffern und Unterstriche. Deine Adresse wird @name@${domain}.`,
  email: 'E-Mail-Adresse',
  emailHint: 'Wir schicken dir eine Mail mit einem Link, um sie zu bestätigen.',
  passwordHint: (min) =>
    `Mindestens ${min} Zeichen. Einige zufällige Wörter sind leicht zu merken und schwer zu erraten.`,
  reason: 'Warum möchtest du mitmachen?',
  reasonHint: 'Das lesen die Moderatoren dieses Servers.',
  rules: 'Regeln dieses Servers',
  agree: 'Ich nehme die Regeln und die Datenschutzerklärung an.',
  submit: 'Konto erstellen',
  closed: 'Dieser Server nimmt gerade keine neuen Konten an.',
  lookTitle: 'Sieh in deine Mails',
  look: (email) => `Wir haben eine Mail an ${email} geschickt. Öffne den Link darin, um die Adresse zu bestätigen.`,
  lookApproval: 'Danach sehen die Moderatoren deine Anfrage an. Du bekommst eine Mail, wenn dein Konto offen ist.',
  notThere: 'Nach einigen Minuten keine Mail? Sieh in den Spam-Ordner, oder lass sie noch einmal schicken.',
  again: 'Noch einmal schicken',
  sentAgain: 'Wenn die Adresse auf ihre Bestätigung wartet, ist eine weitere Mail unterwegs.',
  tooMany: 'Zu viele Versuche. Bitte versuche es in einer Viertelstunde wieder.',
  faults: {
    username: {
      ERR_BLANK: 'Bitte wähle einen Namen.',
      ERR_TOO_LONG: 'Dieser Name ist zu lang.',
      ERR_INVALID: 'Möglich sind nur Buchstaben, Ziffern und Unterstriche.',
      ERR_RESERVED: 'Dieser Name ist reserviert.',
      ERR_TAKEN: 'Diesen Namen hat schon jemand.',
    },
    email: {
      ERR_BLANK: 'Bitte gib deine E-Mail-Adresse ein.',
      ERR_TOO_LONG: 'Diese Adresse ist zu lang.',
      ERR_INVALID: 'Das ist keine E-Mail-Adresse.',
      ERR_BLOCKED: 'Dieser E-Mail-Anbieter wird hier nicht angenommen.',
    },
    password: {
      ERR_BLANK: 'Bitte wähle ein Passwort.',
      ERR_TOO_SHORT: 'Dieses Passwort ist zu kurz.',
      ERR_TOO_LONG: 'Dieses Passwort ist zu lang.',
    },
    agreement: { ERR_ACCEPTED: 'Mitmachen kannst du, wenn du die Regeln annimmst.' },
  },
  unfit: 'Das wird nicht angenommen.',
};
