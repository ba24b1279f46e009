/** The names of an account: a user name and an e-mail address, in lower case. Each has one claim (actors/names.ts). */
export const namesOf = (username: string, email: string): [string, string] => [
  `acct:${username.toLowerCase()}`,
  `email:${email.toLowerCase()}`,
];
