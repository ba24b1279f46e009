import { Type } from '@sinclair/typebox';
import { emptyProfile } from '../../actors/account/profile.js';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import { INSTANCE_KEY } from '../../actors/federation/account-keys.js';
import { actorDocument, instanceActorDocument } from '../../actors/federation/documents/actor.js';
import { type Answer, type AnyRoute, type Request, redirect, route } from '../http/route.js';
import { emojiIn } from '../settings/custom-emoji.js';
import { activityAnswer } from './answering.js';
import { ownerNamed } from './owners.js';
import { documentOrPage } from './signer.js';

/** Longest name in a path; no local name is longer. */
const NAME_CHARS_MAX = 100;
/** Parameters of addresses below a person. A name that no account can have gets a 404. */
export const nameParams = { name: Type.String({ pattern: '^[A-Za-z0-9_.-]+$', maxLength: NAME_CHARS_MAX }) };

/** Answers with the document of a local person. */
export async function personDocument({
  services,
  params,
}: Request<{ readonly name: string }, unknown, unknown>): Promise<Answer | Problem> {
  const record = await ownerNamed(services, params.name);
  if (isProblem(record)) return record;
  const { displayName, note, fields } = record.profile ?? emptyProfile;
  const texts = fields.flatMap(({ name, value }) => [name, value]);
  const emojis = emojiIn(services.instance, displayName, note, ...texts);
  const key = await services.accountKeys.publicPem(record.id);
  return activityAnswer(actorDocument(services.instance, record, key, emojis));
}

/** The id of a local person. Browsers are led to the page. */
const person = route({
  method: 'GET',
  path: '/users/:name',
  auth: 'none',
  params: Type.Object(nameParams),
  handle: documentOrPage(personDocument, ({ params }) => redirect(`/@${params.name}`)),
});

const instanceActor = route({
  method: 'GET',
  path: '/actor',
  auth: 'none',
  handle: async ({ services }) =>
    activityAnswer(instanceActorDocument(services.instance, await services.accountKeys.publicPem(INSTANCE_KEY))),
});

export const actorRoutes: readonly AnyRoute[] = [person, instanceActor];
