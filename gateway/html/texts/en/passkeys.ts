/** Texts of passkeys. They are part of `auth`. */
export const passkeys = {
  title: 'Passkeys',
  signIn: 'Use a passkey instead',
  intro:
    'With a passkey you sign in by the lock of your telephone or computer, or by a security key, without a password.',
  needsScript: 'Passkeys need a browser that supports them, with JavaScript.',
  unable: 'This browser cannot use passkeys, or the request was cancelled.',
  none: 'You have no passkey yet.',
  added: (day: string) => `Added on ${day}`,
  used: (day: string) => `Last used on ${day}`,
  unused: 'Not used yet',
  name: 'Name of the passkey',
  nameHint: 'For example that of the device. Only you see it.',
  add: 'Add a passkey',
  remove: (name: string) => `Remove ${name}`,
  wrong: 'This passkey does not fit, or the page was open for too long. Please try again.',
  full: 'You have as many passkeys as fit. Remove one first.',
};
