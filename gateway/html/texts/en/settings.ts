/** Texts of the settings. */
export const settings = {
  title: 'Settings',
  save: 'Save',
  saved: 'Saved.',
  preferences: 'Preferences',
  visibility: 'Who sees your new posts, unless you choose otherwise',
  language: 'Language of your new posts',
  languageHint: 'A code such as en or de. Empty: it is recognised from the text.',
  sensitive: 'Mark the media of my posts as sensitive',
  hidden: 'Hide whom I follow and who follows me',
  discoverable: 'Suggest my account to others',
  indexable: 'Let everybody find my public posts by search',
  bot: 'This account is automated',
};
