import type { Reader } from '../site.js';
import { mayOpen } from './frame.js';

/** Link on a public page to the account for moderators. Other readers get nothing. */
export function ModerationLink({ account, reader }: { readonly account: string; readonly reader: Reader }) {
  if (!mayOpen(reader, '/moderation/accounts')) return null;
  return (
    <a class="button plain" href={`/moderation/accounts/${account}`}>
      {reader.texts.profile.moderate}
    </a>
  );
}
