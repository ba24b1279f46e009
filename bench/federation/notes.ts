import type { Document, PeerActor } from '../../test/kit/federation/peer.js';

/** Returns a public Note with the fields that servers usually send, some 1.5 KB in its Create. */
export function noteOf(actor: PeerActor, text: string): Document {
  const tag = 'https://social.example/tags/bench';
  const content =
    `<p>${text}: the quick brown fox jumps over the lazy dog, and it does so once more for good measure. ` +
    `<a href="${tag}" class="mention hashtag" rel="tag">#<span>bench</span></a></p>`;
  return actor.note(content, {
    summary: null,
    inReplyTo: null,
    sensitive: false,
    conversation: `tag:social.example,2026:${text}:objectType=Conversation`,
    contentMap: { en: content },
    attachment: [],
    tag: [{ type: 'Hashtag', href: tag, name: '#bench' }],
  });
}
