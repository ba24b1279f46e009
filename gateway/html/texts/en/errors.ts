/** Titles and explanations of error pages, by HTTP status. */
export const errors = {
  400: ['That request was not understood', 'The address or the form contains something that does not belong there.'],
  401: ['Please sign in', 'This page needs an account.'],
  403: ['Not allowed', 'You may not see or do this.'],
  404: ['Page not found', 'There is nothing at this address. It may have been deleted, or it never existed.'],
  405: ['That does not work here', 'This address does not accept what the browser sent.'],
  410: ['Gone', 'What was here has been deleted.'],
  413: ['Too large', 'What the browser sent is larger than this server accepts.'],
  422: ['That did not fit', 'Something in the request is missing or not valid.'],
  429: ['Too many requests', 'Please wait a little before you try again.'],
  500: ['Something went wrong', 'The fault is on our side.'],
  503: ['Not available at the moment', 'The server cannot answer now. Please try again.'],
} as const satisfies Readonly<Record<number, readonly [string, string]>>;
