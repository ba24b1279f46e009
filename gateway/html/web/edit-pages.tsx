import type { Answer } from '../../http/route.js';
import type { Status } from '../../pages/status/status.js';
import type { StatusEdit } from '../../pages/status/status-history.js';
import { Csrf } from '../parts/form.js';
import { ownPostPath } from '../parts/post.js';
import { Versions } from '../parts/versions.js';
import { type Draft, Fault, PostFields } from './compose.js';
import { type Client, framed } from './frame.js';

/** Renders the form of an edit. */
export function editPage(
  client: Client,
  { status, draft }: { readonly status: Status; readonly draft: Draft },
): Answer {
  const { reader } = client;
  const { web } = reader.texts;
  const path = ownPostPath(status);
  const body = (
    <form class="card" method="post" action={`${path}/edit`} encType="multipart/form-data">
      <h2>{web.editPost}</h2>
      <Csrf reader={reader} />
      <Fault text={draft.fault} />
      <PostFields reader={reader} draft={draft} label={web.text} isEdit />
      <p class="actions">
        <button type="submit">{web.save}</button>
        <a class="button plain" href={path}>
          {web.backToPost}
        </a>
      </p>
    </form>
  );
  return framed(client, { title: web.editPost, status: draft.fault === undefined ? 200 : 422 }, body);
}

/** Renders the versions of a post. */
export function ownHistoryPage(client: Client, status: Status, versions: readonly StatusEdit[]): Answer {
  const { texts, language } = client.reader;
  const body = (
    <>
      <h2>{texts.posts.history}</h2>
      <Versions versions={versions} texts={texts} language={language} />
      <p class="actions">
        <a class="button plain" href={ownPostPath(status)}>
          {texts.web.backToPost}
        </a>
      </p>
    </>
  );
  return framed(client, { title: texts.posts.history }, body);
}
