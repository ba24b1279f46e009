import { Type } from '@sinclair/typebox';
import { accountUri, stampUri, statusUri } from '../../actors/domain/addresses.js';
import { storedId } from '../../actors/domain/ids.js';
import { isProblem } from '../../actors/domain/problem.js';
import { stampDocument } from '../../actors/federation/documents/stamp.js';
import { accounts } from '../../store/tables.js';
import { type AnyRoute, route } from '../http/route.js';
import { idText } from '../paging/bounds.js';
import { answered, loadStatuses, notFound } from '../viewing/visible.js';
import { nameParams } from './actors.js';
import { activityAnswer } from './answering.js';
import { ownerNamed } from './owners.js';
import { authorized } from './signer.js';
import { askedStatus } from './status-collections.js';

/**
 * Serves the stamp by which the author of a status permits its quote, while the permission lasts, to those who may see
 * the quoted status. No cache keeps it, so that a revocation holds at once. Source: FEP-044f, QuoteAuthorization.
 */
const stamp = route({
  method: 'GET',
  path: '/users/:name/statuses/:id/quote_authorizations/:quoting',
  auth: 'none',
  params: Type.Object({ ...nameParams, id: idText(), quoting: idText() }),
  handle: authorized(async (request) => {
    const { services, params } = request;
    const { baseUrl } = services.instance;
    const author = await ownerNamed(services, params.name);
    if (isProblem(author)) return author;
    const asked = await askedStatus(request, author, params.id);
    if (isProblem(asked)) return asked;
    const { record } = asked.seen;
    const pair = { statusId: record.id, quotingId: storedId(params.quoting) };
    const { state } = answered(await services.askConversation(record.conversationId, 'quoteState', pair));
    const [quoting] = state === 'accepted' ? await loadStatuses(services, [pair.quotingId]) : [];
    const writer = quoting && (await services.tables.get(accounts, { account: quoting.accountId }));
    if (quoting === undefined || quoting.deleted || writer === undefined) return notFound();
    const stamped = {
      uri: stampUri(baseUrl, record, author, quoting.id),
      quotedAuthor: accountUri(baseUrl, author),
      quoting: statusUri(baseUrl, quoting, writer),
      quoted: asked.uri,
    };
    return activityAnswer(stampDocument(stamped), false);
  }),
});

export const quoteStampRoutes: readonly AnyRoute[] = [stamp];
