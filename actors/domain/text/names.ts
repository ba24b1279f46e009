/**
 * Returns the names of an account: its user name and e-mail address, in lower case. Each has one claim
 * (actors/names.ts).
 */
export const namesOf = (username: string, email: string): [string, string] => [
  `acct:${username.toLowerCase()}`,
  `email:${email.toLowerCase()}`,
];
