import type { StatusEdit } from '../../pages/status/status-history.js';
import type { Language, Texts } from '../texts/index.js';
import { Name, withEmoji } from './emoji.js';
import { Media } from './media.js';
import { Raw } from './raw.js';
import { Time } from './time.js';

interface Props {
  /** The oldest first, as the API lists them. */
  readonly versions: readonly StatusEdit[];
  readonly texts: Texts;
  readonly language: Language;
}

/** Versions of a post that was edited, the newest first. */
export function Versions({ versions, texts, language }: Props) {
  return (
    <ol class="feed" reversed>
      {versions.toReversed().map((version, index) => (
        <li key={index} class="post">
          <p class="above">
            {texts.posts.version(versions.length - index)} · <Time iso={version.created_at} language={language} />
          </p>
          {version.spoiler_text !== '' && (
            <p>
              <strong>
                <Name text={version.spoiler_text} emojis={version.emojis} />
              </strong>
            </p>
          )}
          <Raw class="content" html={withEmoji(version.content, version.emojis)} />
          <VersionMedia version={version} texts={texts} />
          {version.poll !== undefined && (
            <ul class="poll">
              {version.poll.options.map(({ title }, option) => (
                <li key={option}>
                  <Name text={title} emojis={version.emojis} />
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ol>
  );
}

function VersionMedia({ version, texts }: { readonly version: StatusEdit; readonly texts: Texts }) {
  const media = <Media media={version.media_attachments} texts={texts} />;
  if (!version.sensitive || version.media_attachments.length === 0) return media;
  return (
    <details>
      <summary>{texts.posts.sensitive}</summary>
      {media}
    </details>
  );
}
