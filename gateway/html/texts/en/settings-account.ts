/** Texts of the address, moves and the end of an account. They are part of `settings`. */
export const ownAccount = {
  title: 'Overview',
  email: 'E-mail address',
  newEmail: 'New e-mail address',
  current: 'Current password',
  changeEmail: 'Change the address',
  emailSent: 'Open the link in the mail that was sent to the new address. Until then the present one stays.',
  sameEmail: 'That is your present address.',
  wrongEmail: 'That is not an e-mail address.',
  blockedEmail: 'This server does not accept that address.',
  tooMany: 'Too many attempts. Please try again later.',
  emailConfirmed: 'Your account has the new e-mail address.',
  aliases: {
    title: 'Former accounts',
    intro:
      'If you move here from another server, name your account there first. Then start the move there: your followers come along.',
    account: 'Address of the former account',
    hint: 'For example you@old.example',
    add: 'Add',
    remove: 'Remove',
    none: 'You have named no former account.',
    full: 'You have named many accounts already. Remove one first.',
  },
  migration: {
    title: 'Move to another account',
    intro:
      'Your followers are led to the other account. Your posts stay here, and this account cannot post any more. You can move once in 30 days. The other account must name this one as a former account first.',
    account: 'Address of the other account',
    hint: 'For example you@new.example',
    start: 'Move',
    movedTo: 'This account has moved to',
    end: 'Use this account again',
    endText: 'Your followers stay where they are.',
    tooSoon: 'This account has moved in the last 30 days.',
    faults: {
      missing: 'There is no such account, or its server does not answer.',
      silent: 'The server of that account does not answer.',
      moved: 'That account has moved itself.',
      unnamed:
        'That account does not name this one as a former account. If you have just changed it, try again in five minutes.',
    },
  },
  deletion: {
    title: 'Delete the account',
    intro:
      'Your profile, posts, files and follows are deleted here, and other servers are asked to delete them. Nobody can undo this, and nobody can ever have your name again.',
    archive: 'Take your data along first',
    submit: 'Delete my account for ever',
    owner: 'You own this server. Give the role to somebody else first.',
    doneTitle: 'Good-bye',
    done: 'Your account is deleted. Your posts and files will be gone in some minutes.',
  },
};
