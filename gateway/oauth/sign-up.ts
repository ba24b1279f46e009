import { EMAIL_CHARS_MAX, USERNAME_CHARS_MAX } from '../../actors/account/register.js';
import { type FieldError, isProblem, type Problem, problem } from '../../actors/domain/problem.js';
import { namesOf } from '../../actors/domain/text/names.js';
import type { Services } from '../http/services.js';
import { newNonce } from './clients.js';
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from './passwords.js';

export interface SignUp {
  /** Id of the new account if the request may be a repeat; absent: a new id. */
  readonly id?: string;
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly role: string;
  readonly confirmed: boolean;
  readonly approved: boolean;
  readonly locale: string;
  /** Application with which the user signs up. */
  readonly clientId?: string;
  readonly reason?: string;
  /** Account whose invitation is used. */
  readonly invitedBy?: string;
  /** Client address of the request. */
  readonly address?: string;
  /** False: the rules were not accepted. Absent: no agreement is needed. */
  readonly agreement?: boolean;
  readonly hash: (password: string) => Promise<string>;
}

/** One @, no spaces or control characters. The answered confirmation mail proves the rest. */
const EMAIL = /^[^\s@<>",;:\\()[\]]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?$/i;
/** Returns true if the text has the form of an e-mail address. */
export const isEmail = (text: string): boolean => text.length <= EMAIL_CHARS_MAX && EMAIL.test(text);
/** Names that could be mistaken for the server itself. */
const RESERVED = new Set([
  'abuse',
  'admin',
  'administrator',
  'hostmaster',
  'postmaster',
  'root',
  'support',
  'webmaster',
]);

const LABELS: Readonly<Record<string, string>> = {
  username: 'Username',
  email: 'E-mail address',
  password: 'Password',
  agreement: 'Service agreement',
};

/**
 * Validates, claims the names and registers the account; durable when it returns an id.
 * @throws Unavailable; the account may exist. If it does not, others can take over the claims after a minute
 */
export async function signUp(
  services: Pick<Services, 'registry' | 'random' | 'newAccountId' | 'askAccount'>,
  wanted: SignUp,
): Promise<{ readonly id: string } | Problem> {
  const username = wanted.username.trim();
  const email = wanted.email.trim();
  const faults = faultsOf(wanted, username, email);
  if (Object.keys(faults).length > 0) return refusal(faults);
  const names = namesOf(username, email);
  const id = wanted.id ?? (await services.newAccountId());
  for (const name of names) {
    if (await services.registry.isTaken(name, id)) return taken(name);
  }
  const passwordHash = await wanted.hash(wanted.password);
  const occupied = await services.registry.claim(names, id);
  if (occupied !== undefined) return taken(occupied);
  const registered = await services.askAccount(id, 'register', {
    username,
    email,
    passwordHash,
    role: wanted.role,
    confirmed: wanted.confirmed,
    approved: wanted.approved,
    locale: wanted.locale,
    ...(wanted.clientId === undefined ? {} : { clientId: wanted.clientId }),
    ...(wanted.reason === undefined ? {} : { reason: wanted.reason }),
    ...(wanted.invitedBy === undefined ? {} : { invitedBy: wanted.invitedBy }),
    ...(wanted.address === undefined ? {} : { signUpAddress: wanted.address }),
    ...(wanted.confirmed ? {} : { confirmationNonce: newNonce(services) }),
  });
  if (isProblem(registered)) {
    await services.registry.withdraw(names, id);
    return registered;
  }
  const lost = await services.registry.confirm(names, id);
  if (lost === undefined) return { id };
  await services.askAccount(id, 'unregister', {});
  return taken(lost);
}

type Faults = Record<string, FieldError[]>;

function faultsOf(wanted: SignUp, username: string, email: string): Faults {
  const faults: Faults = {};
  const add = (field: string, error: string, description: string) => {
    faults[field] = [...(faults[field] ?? []), { error, description }];
  };
  const blank = "can't be blank";
  if (username === '') add('username', 'ERR_BLANK', blank);
  else if (username.length > USERNAME_CHARS_MAX) add('username', 'ERR_TOO_LONG', tooLong(USERNAME_CHARS_MAX));
  else if (!/^[a-z0-9_]+$/i.test(username))
    add('username', 'ERR_INVALID', 'must contain only letters, numbers and underscores');
  else if (wanted.role === 'user' && RESERVED.has(username.toLowerCase()))
    add('username', 'ERR_RESERVED', 'is a reserved keyword');
  if (email === '') {
    add('email', 'ERR_BLANK', blank);
    add('email', 'ERR_INVALID', 'is invalid');
  } else if (email.length > EMAIL_CHARS_MAX) add('email', 'ERR_TOO_LONG', tooLong(EMAIL_CHARS_MAX));
  else if (!EMAIL.test(email)) add('email', 'ERR_INVALID', 'is invalid');
  if (wanted.password === '') add('password', 'ERR_BLANK', blank);
  else if (wanted.password.length < PASSWORD_CHARS_MIN)
    add('password', 'ERR_TOO_SHORT', `is too short (minimum is ${PASSWORD_CHARS_MIN} characters)`);
  else if (wanted.password.length > PASSWORD_CHARS_MAX) add('password', 'ERR_TOO_LONG', tooLong(PASSWORD_CHARS_MAX));
  if (wanted.agreement === false) add('agreement', 'ERR_ACCEPTED', 'must be accepted');
  return faults;
}

const tooLong = (max: number): string => `is too long (maximum is ${max} characters)`;

function taken(name: string): Problem {
  const field = name.startsWith('acct:') ? 'username' : 'email';
  return refusal({ [field]: [{ error: 'ERR_TAKEN', description: 'has already been taken' }] });
}

function refusal(faults: Faults): Problem {
  const sentences = Object.entries(faults).flatMap(([field, errors]) =>
    errors.map((error) => `${LABELS[field] ?? field} ${error.description}`),
  );
  return problem('invalid', `Validation failed: ${sentences.join(', ')}`, faults);
}
