import type { Poll } from '../../pages/status/poll.js';
import type { Language, Texts } from '../texts/index.js';
import { Name } from './emoji.js';
import { Time } from './time.js';

/** Results of a poll as bars. A poll that hides its results shows the options alone. */
export function PollResults({
  poll,
  texts,
  language,
}: {
  readonly poll: Poll;
  readonly texts: Texts;
  readonly language: Language;
}) {
  const all = poll.votes_count;
  return (
    <>
      <ul class="poll">
        {poll.options.map((option, index) => (
          <li key={index}>
            <Name text={option.title} emojis={poll.emojis} />
            {option.votes_count !== null && (
              <>
                <meter min={0} max={Math.max(1, all)} value={option.votes_count} aria-label={option.title} />
                <span class="share">{shareOf(option.votes_count, all, language)}</span>
              </>
            )}
          </li>
        ))}
      </ul>
      <p class="soft small">
        {texts.posts.votes(all)}
        {' · '}
        {poll.expired ? texts.posts.pollEnded : texts.posts.pollUntil}{' '}
        {!poll.expired && <Time iso={poll.expires_at} language={language} />}
      </p>
    </>
  );
}

const shareOf = (votes: number, all: number, language: Language): string =>
  (all === 0 ? 0 : votes / all).toLocaleString(language, { style: 'percent' });
