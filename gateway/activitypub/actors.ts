import { Type } from '@sinclair/typebox';
import { emptyProfile } from '../../actors/account/profile.js';
import { isProblem } from '../../actors/domain/problem.js';
import { INSTANCE_KEY } from '../../actors/federation/account-keys.js';
import { actorDocument, instanceActorDocument } from '../../actors/federation/documents/actor.js';
import { type AnyRoute, route } from '../http/route.js';
import { emojiIn } from '../settings/custom-emoji.js';
import { activityAnswer } from './answering.js';
import { ownerNamed } from './owners.js';
import { documentOrPage } from './signer.js';

/** Longest name in a path; no local name is longer. */
const NAME_CHARS_MAX = 100;
/** Parameters of addresses below a person. A name that no account can have gets a 404. */
export const nameParams = { name: Type.String({ pattern: '^[A-Za-z0-9_.-]+$', maxLength: NAME_CHARS_MAX }) };

/** The document of a local person, at its id and at its page. */
const person = ['/users/:name', '/@:name'].map(
  (path): AnyRoute =>
    route({
      method: 'GET',
      path,
      auth: 'none',
      params: Type.Object(nameParams),
      handle: documentOrPage(async ({ services, params }) => {
        const record = await ownerNamed(services, params.name);
        if (isProblem(record)) return record;
        const { displayName, note, fields } = record.profile ?? emptyProfile;
        const texts = fields.flatMap(({ name, value }) => [name, value]);
        const emojis = emojiIn(services.instance, displayName, note, ...texts);
        const key = await services.accountKeys.publicPem(record.id);
        return activityAnswer(actorDocument(services.instance, record, key, emojis));
      }),
    }),
);

const instanceActor = route({
  method: 'GET',
  path: '/actor',
  auth: 'none',
  handle: async ({ services }) =>
    activityAnswer(instanceActorDocument(services.instance, await services.accountKeys.publicPem(INSTANCE_KEY))),
});

export const actorRoutes: readonly AnyRoute[] = [...person, instanceActor];
