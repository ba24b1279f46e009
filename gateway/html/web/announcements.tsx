import type { Announcement } from '../../pages/instance/announcement.js';
import { withEmoji } from '../parts/emoji.js';
import { Csrf } from '../parts/form.js';
import { Raw } from '../parts/raw.js';
import { Time } from '../parts/time.js';
import type { Reader } from '../site.js';

/** Announcements that the reader has not dismissed, each with its times and a way to dismiss it. */
export function Announcements({ all, reader }: { readonly all: readonly Announcement[]; readonly reader: Reader }) {
  const { web } = reader.texts;
  if (all.length === 0) return null;
  return (
    <section aria-label={web.announcements}>
      {all.map((one) => (
        <div key={one.id} class="notice">
          <Raw html={withEmoji(one.content, one.emojis)} />
          <Span announcement={one} reader={reader} />
          <form method="post" action={`/web/announcements/${one.id}/dismiss`}>
            <Csrf reader={reader} />
            <button type="submit" class="link">
              {web.dismiss}
            </button>
          </form>
        </div>
      ))}
    </section>
  );
}

/** From when until when: days only for whole days. */
function Span({ announcement, reader }: { readonly announcement: Announcement; readonly reader: Reader }) {
  const { starts_at: from, ends_at: until, all_day: day } = announcement;
  const { web } = reader.texts;
  if (from === null && until === null) return null;
  const at = (iso: string) => <Time iso={iso} language={reader.language} day={day} />;
  return (
    <p class="soft">
      {from !== null && (
        <>
          {web.from} {at(from)}
        </>
      )}
      {until !== null && (
        <>
          {' '}
          {web.until} {at(until)}
        </>
      )}
    </p>
  );
}
