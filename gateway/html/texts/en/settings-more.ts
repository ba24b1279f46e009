/** Texts of featured hashtags and people. They are part of `settings`. */
export const featured = {
  title: 'Featured',
  intro: 'Your profile shows these hashtags and people. You can feature people whom you follow.',
  tag: 'Hashtag',
  person: 'Address of a person whom you follow',
  missing: 'There is no such person here.',
  add: 'Feature',
  remove: 'Remove',
};

/** Texts of the applications that a person develops. They are part of `settings`. */
export const applications = {
  title: 'Development',
  intro: 'Applications that you develop. Each needs a client id and a secret to ask people for access.',
  none: 'You have no applications.',
  create: 'New application',
  name: 'Name',
  website: 'Website',
  redirects: 'Redirect addresses',
  redirectsHint: 'One on each line.',
  scopes: 'Scopes',
  client: 'Client id',
  secret: 'Client secret',
  secretOnce: 'Copy the secret now: it is not shown again.',
  renew: 'New secret',
  remove: 'Delete',
};

/** Texts of suggested people. They are part of `settings`. */
export const suggestions = {
  title: 'Suggestions',
  intro: 'People whom you may want to follow.',
  follow: 'Follow',
  dismiss: 'Do not suggest',
};
