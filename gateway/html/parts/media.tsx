import type { MediaAttachment } from '../../pages/status/media.js';
import type { Texts } from '../texts/index.js';

/** Pictures, films and sounds of a post, with their descriptions. */
export function Media({ media, texts }: { readonly media: readonly MediaAttachment[]; readonly texts: Texts }) {
  if (media.length === 0) return null;
  return (
    <div class="media">
      {media.map((one) => (
        <figure key={one.id}>
          <File one={one} texts={texts} />
        </figure>
      ))}
    </div>
  );
}

function File({ one, texts }: { readonly one: MediaAttachment; readonly texts: Texts }) {
  const url = one.url ?? one.remote_url ?? '';
  const description = one.description ?? '';
  if (one.type === 'image') {
    const { width, height } = one.meta.small ?? {};
    return (
      <a href={url}>
        <img src={one.preview_url ?? url} alt={description} width={width} height={height} loading="lazy" />
        {description === '' && <span class="visually-hidden">{texts.posts.file}</span>}
      </a>
    );
  }
  const label = description || texts.posts.file;
  // biome-ignore lint/a11y/useMediaCaption: authors describe their files, they upload no captions.
  if (one.type === 'audio') return <audio src={url} controls preload="none" aria-label={label} />;
  if (one.type === 'unknown') return <a href={url}>{label}</a>;
  const isLoop = one.type === 'gifv';
  return (
    // biome-ignore lint/a11y/useMediaCaption: as above.
    <video src={url} poster={one.preview_url ?? undefined} controls loop={isLoop} preload="none" aria-label={label} />
  );
}
