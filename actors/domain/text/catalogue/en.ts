import type { Catalogue } from './texts.js';

export const en: Catalogue = {
  language: 'en',
  notifications: {
    titles: {
      quote: (who) => `${who} quoted your post`,
      quoted_update: (who) => `${who} edited a post that you quoted`,
      added_to_collection: (who) => `${who} added you to a collection`,
      collection_update: (who) => `${who} changed a collection that you are in`,
      severed_relationships: () => 'Some of your follows or followers were removed',
      moderation_warning: () => 'A moderator sent you a warning',
      'admin.sign_up': (who) => `${who} signed up`,
      'admin.report': (who) => `${who} sent a report`,
    },
    unsupported: 'This app does not support this kind of notification. A newer version may show more.',
  },
  mail: {
    hello: (username) => `Hello ${username},`,
    footer: (account) => `You get this mail because of the account ${account}.`,
    unsubscribe: 'Stop these mails',
    confirmation: {
      subject: 'Confirm your e-mail address',
      text: (domain) => `welcome to ${domain}. Confirm your e-mail address to begin to use your account.`,
      button: 'Confirm the address',
      otherwise: 'If you did not sign up, ignore this mail.',
    },
    reset: {
      subject: 'A new password',
      text: (domain) =>
        `somebody asked for a new password for your account on ${domain}. The link is valid for six hours.`,
      button: 'Choose a new password',
      otherwise: 'If you did not ask for it, ignore this mail: nothing changes.',
    },
    passwordChanged: {
      subject: 'Your password was changed',
      text: (domain) => `your password on ${domain} was changed, and every device was signed out.`,
      button: 'Ask for a new password',
      otherwise: 'If that was not you, ask for a new password now.',
    },
    passkeyAdded: {
      subject: 'A passkey was added',
      text: (domain, name) => `whoever has the passkey “${name}” can sign in to your account on ${domain} from now on.`,
      button: 'Show my passkeys',
      otherwise: 'If you did not add it, remove it, end all sessions and change your password now.',
    },
    repeatedSignUp: {
      subject: 'You have an account already',
      text: (domain) =>
        `somebody wanted to create an account on ${domain} with this e-mail address. You have one there already.`,
      button: 'Sign in',
      otherwise: 'If that was not you, ignore this mail: nothing changes.',
    },
    newAddress: {
      subject: 'Confirm your new e-mail address',
      text: (domain) =>
        `your account on ${domain} gets this e-mail address once you confirm it. The link is valid for a day.`,
      button: 'Confirm the address',
      otherwise: 'If you did not ask for it, ignore this mail: nothing changes.',
    },
    emailChanged: {
      subject: 'Your e-mail address was changed',
      text: (domain) =>
        `your account on ${domain} now has another e-mail address. This address gets no more mail about it.`,
      otherwise: 'If you did not sign up, ignore this mail.',
      appeal: (contact) => `If that was not you, write to ${contact} at once.`,
    },
    signIn: {
      subject: 'A new sign-in to your account',
      text: (domain) =>
        `somebody signed in to your account on ${domain} with a browser or from an address that is new to us.`,
      button: 'Ask for a new password',
      otherwise:
        'If that was you, there is nothing to do. If not, ask for a new password: that signs every device out.',
      time: 'Time',
      address: 'IP address',
      browser: 'Browser',
      unknownBrowser: 'unknown',
    },
    archiveReady: {
      subject: 'Your archive is ready',
      text: (domain) => `the archive of your data on ${domain} is complete. Sign in to download it.`,
      until: 'Available until',
      button: 'Download the archive',
      otherwise: 'If you did not ask for it, choose a new password: somebody else is signed in to your account.',
    },
    deleted: {
      subject: 'Your account was deleted',
      text: (domain) =>
        `your account on ${domain} was deleted, with its profile, posts and files. This address gets no more mail about it.`,
    },
    decisions: {
      none: { subject: 'You have received a warning', text: 'the moderators have sent you a warning.' },
      delete_statuses: {
        subject: 'Posts of yours have been deleted',
        text: 'the moderators have deleted posts of yours.',
      },
      mark_statuses_as_sensitive: {
        subject: 'Posts of yours have been marked as sensitive',
        text: 'the moderators have marked posts of yours as sensitive. Their media are hidden until somebody opens them.',
      },
      approve: {
        subject: 'Your account has been approved',
        text: 'your account has been approved. You can sign in now.',
      },
      reject: {
        subject: 'Your sign-up was not approved',
        text: 'the moderators have looked at your sign-up and did not approve it. Your data were deleted.',
      },
      disable: {
        subject: 'Your account has been frozen',
        text: 'you can no longer sign in to your account. Your posts stay.',
      },
      enable: { subject: 'Your account is no longer frozen', text: 'you can sign in to your account again.' },
      silence: {
        subject: 'Your account has been limited',
        text: 'your posts are shown only to those who follow you. You can go on to use your account.',
      },
      unsilence: { subject: 'Your account is no longer limited', text: 'your posts are shown to everybody again.' },
      sensitive: {
        subject: 'Your media will be marked as sensitive',
        text: 'the media of your posts are marked as sensitive and hidden until somebody opens them.',
      },
      unsensitive: {
        subject: 'Your media will no longer be marked as sensitive',
        text: 'the media of your posts are shown as you mark them again.',
      },
      suspend: {
        subject: 'Your account has been suspended',
        text: 'nobody can see your account, and you cannot sign in to it. After 30 days it is deleted.',
      },
      unsuspend: {
        subject: 'Your account is no longer suspended',
        text: 'everybody can see your account again, and you can sign in to it.',
      },
    },
    decision: {
      reason: 'The moderators write:',
      appeal: (contact) => `If you think that this is a mistake, write to ${contact}.`,
      signIn: 'Sign in',
    },
    report: {
      subject: (id) => `New report #${id}`,
      text: (domain) => `somebody has reported an account on ${domain}.`,
      target: 'Reported account',
      by: 'Reported by',
      category: 'Category',
      statuses: 'Reported posts',
      comment: 'The comment says:',
      button: 'Open the account',
      categories: {
        spam: 'spam',
        legal: 'illegal content',
        violation: 'breaks rules of this server',
        other: 'something else',
      },
    },
  },
  push: {
    titles: {
      mention: (who) => `${who} mentioned you`,
      status: (who) => `${who} posted`,
      reblog: (who) => `${who} boosted your post`,
      follow: (who) => `${who} followed you`,
      follow_request: (who) => `${who} asked to follow you`,
      favourite: (who) => `${who} favourited your post`,
      poll: (who) => `A poll of ${who} in which you voted has ended`,
      update: (who) => `${who} edited a post`,
    },
    ownPoll: 'Your poll has ended',
    filtered: (filter) => `Hidden by your filter “${filter}”`,
    test: {
      title: 'Notifications work',
      text: (domain) => `This is the test message that you asked for on ${domain}.`,
    },
  },
};
