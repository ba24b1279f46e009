/** Readers of a list of the instance. Source: Mastodon, `show_domain_blocks`. */
export const AUDIENCES = ['disabled', 'users', 'all'] as const;

/** Settings whose value is one of `AUDIENCES`. */
export const AUDIENCE_SETTINGS = ['show_domain_blocks', 'show_domain_blocks_rationale'] as const;

/** Settings that can be changed at run time, each with its purpose. */
export const SETTINGS: Readonly<Record<string, string>> = {
  title: 'name of the instance',
  short_description: 'one or two sentences',
  description: 'a longer description',
  contact_email: 'e-mail address of the operator',
  contact_username: 'username of the account to contact',
  source_url: 'address of the source code of this server',
  registrations_message: 'text that people read if they cannot sign up',
  status_url: 'address of a status page',
  languages: 'ISO 639 codes, separated by commas',
  extended_description: 'text of the page about the instance',
  privacy_policy: 'the privacy policy',
  trends_review: 'on: a trend is shown only after a moderator has approved it',
  show_domain_blocks: 'who sees the list of moderated servers: disabled (nobody), users, or all (the default)',
  show_domain_blocks_rationale: 'who sees the public comments in it: disabled, users, or all (the default)',
  rate_limits: 'rate limits: on, off, or JSON, {"token":{"limit":300,"seconds":300}}',
};
