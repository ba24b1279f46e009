/** Texts of the second factor. They are part of `auth`. */
export const otp = {
  title: 'Second factor',
  ask: 'Code of your second factor',
  askText: 'Open the app on your phone and type the six digits it shows, or one of your recovery codes.',
  code: 'Code',
  wrong: 'This code is wrong or was used already.',
  again: 'Begin again',
  expired: 'The sign-in took too long. Please begin again.',
  intro: 'With a second factor, a stolen password is not enough to sign in.',
  scan: 'Scan this picture with an app for one-time passwords.',
  picture: 'QR code with the secret of your second factor',
  secret: 'Or type this secret into it:',
  password: 'Your password',
  firstCode: 'Six digits that the app shows now',
  enable: 'Turn on',
  enabled: 'The second factor is on.',
  keep: 'Write down these recovery codes. Each of them works once, in place of your phone. They are not shown again.',
  left: (count: number) => `Recovery codes left: ${count}`,
  disable: 'Turn off',
  disabled: 'The second factor is off.',
  disableHint: 'To get new recovery codes, turn it off and on again.',
};

/** Texts of passkeys. They are part of `auth`. */
export const passkeys = {
  title: 'Passkeys',
  signIn: 'Use a passkey instead',
  intro:
    'With a passkey you sign in by the lock of your telephone or computer, or by a security key, without a password. A new password that you ask for by mail removes all passkeys.',
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
