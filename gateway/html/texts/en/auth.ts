import { access } from './access.js';
import { otp, passkeys } from './second-factor.js';

/** Texts of sign-up and sign-in. */
export const auth = {
  access,
  otp,
  passkeys,
  signIn: 'Sign in',
  login: 'E-mail address or username',
  password: 'Password',
  forgot: 'Forgot your password?',
  noAccount: 'No account yet?',
  create: 'Create one',
  invited: 'Somebody has invited you.',
  haveAccount: 'You have an account already?',
  signUp: (title: string) => `Create an account on ${title}`,
  username: 'Username',
  usernameHint: (domain: string) => `Letters, numbers and underscores. Your address will be @name@${domain}.`,
  email: 'E-mail address',
  emailHint: 'We send you a mail with a link to confirm it.',
  passwordHint: (min: number) =>
    `At least ${min} characters. A few random words are easy to remember and hard to guess.`,
  reason: 'Why do you want to join?',
  reasonHint: 'The moderators of this server read it.',
  rules: 'Rules of this server',
  agree: 'I accept the rules and the privacy policy.',
  submit: 'Create account',
  closed: 'This server is not open for new accounts at the moment.',
  lookTitle: 'Look into your mail',
  look: (email: string) => `We have sent a mail to ${email}. Open the link in it to confirm your address.`,
  lookApproval: 'After that, the moderators look at your request. You get a mail when your account is open.',
  notThere: 'No mail after some minutes? Look into the folder for spam, or let us send it again.',
  again: 'Send it again',
  sentAgain: 'If the address waits for its confirmation, another mail is on its way.',
  tooMany: 'Too many attempts. Please try again in a quarter of an hour.',
  faults: {
    username: {
      ERR_BLANK: 'Please choose a name.',
      ERR_TOO_LONG: 'This name is too long.',
      ERR_INVALID: 'Only letters, numbers and underscores are possible.',
      ERR_RESERVED: 'This name is reserved.',
      ERR_TAKEN: 'Somebody has this name already.',
    },
    email: {
      ERR_BLANK: 'Please type your e-mail address.',
      ERR_TOO_LONG: 'This address is too long.',
      ERR_INVALID: 'This is not an e-mail address.',
      ERR_BLOCKED: 'This provider of e-mail is not accepted here.',
    },
    password: {
      ERR_BLANK: 'Please choose a password.',
      ERR_TOO_SHORT: 'This password is too short.',
      ERR_TOO_LONG: 'This password is too long.',
    },
    agreement: { ERR_ACCEPTED: 'You can join if you accept the rules.' },
  },
  unfit: 'This is not accepted.',
};
