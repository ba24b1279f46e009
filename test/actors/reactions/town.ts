import assert from 'node:assert/strict';
import { idShard, makeId } from '../../../actors/domain/ids.js';
import { accountKind } from '../../../actors/kinds/account.js';
import { archiveKind } from '../../../actors/kinds/archive.js';
import { conversationKind } from '../../../actors/kinds/conversation.js';
import { importsKind } from '../../../actors/kinds/imports.js';
import { pushKind } from '../../../actors/kinds/push.js';
import { remoteHostKind } from '../../../actors/kinds/remote-host.js';
import { PushFigures } from '../../../actors/push/figures.js';
import { hostId } from '../../../actors/remote-host/remote-host.js';
import { askerOf, receiverOf, type TypedAsk } from '../../../actors/runtime/kind.js';
import type { RuntimeLimits } from '../../../actors/runtime/limits.js';
import type { CommandTable } from '../../../actors/runtime/slice.js';
import { codec } from '../../../proto/codec.js';
import type { AccountPost, NodeStatusTopic } from '../../../proto/gen/types.js';
import { TableMedia } from '../../../store/media/table-media.js';
import type { MediaStore } from '../../../store/media.js';
import { STATUSES_TOPIC } from '../../../transport/bus.js';
import type { Mail, MailOutcome } from '../../../transport/mailer.js';
import { lonelyRings } from '../../kit/actors/lonely-rings.js';
import { noUploads } from '../../kit/actors/no-uploads.js';
import { silentDeliveries } from '../../kit/actors/silent-deliveries.js';
import { Stage } from '../../kit/actors/stage.js';
import { testMailbox } from '../../kit/actors/test-mailbox.js';

export const blankPost: AccountPost = {
  text: 'Hello',
  html: '<p>Hello</p>',
  spoilerText: '',
  visibility: 'public',
  sensitive: false,
  mentions: [],
  tags: [],
};

/** Host of the accounts of another server. */
export const FAR = 'far.example';

/** An activity as another server receives it. */
export interface Delivered {
  readonly inbox: string;
  /** Account that signs. */
  readonly signer: string;
  readonly activity: { readonly id: string; readonly type: string; readonly actor: string; readonly object: unknown };
}

interface TownOptions {
  readonly archiveBytes?: number;
  readonly limits?: Partial<RuntimeLimits>;
}

/**
 * Returns registered accounts on one node of real actors, with the mails, pushes, messages and activities that they sent.
 */
export async function town(names: readonly string[], options: TownOptions = {}) {
  const stage = new Stage();
  const mails: Mail[] = [];
  const send = async (mail: Mail): Promise<MailOutcome> => {
    mails.push(mail);
    return { kind: 'sent' };
  };
  const rings = lonelyRings(stage.shared, stage.clock);
  const account = accountKind({
    baseUrl: 'https://here.example',
    domain: 'here.example',
    tables: stage.shared,
    rings,
    media: noUploads,
  });
  const conversation = conversationKind(stage.shared, undefined, undefined, {
    ...{ tables: stage.shared, baseUrl: 'https://here.example', domain: 'here.example' },
    ...{ emojiIn: () => [], nowMs: () => stage.clock.nowMs(), relays: { accepted: [] } },
  });
  const mailbox = testMailbox({ send }, stage.clock);
  const pushed: Pushed[] = [];
  const push = recordingPushes(stage, pushed);
  const delivered: Delivered[] = [];
  const host = recordingHosts(stage, delivered);
  const media = new PausingMedia(stage.shared, stage.clock);
  const archives = archivesIn(stage, media, options.archiveBytes);
  // A node builds archives one at a time, so each has its own kind.
  const files = () => filesOf(stage, media, options.archiveBytes);
  const start = (epoch: number) =>
    stage.node(epoch, options.limits, [account, ...files(), conversation, mailbox, push, host]);
  const node = await start(1);
  await node.runtime.acquire([idShard(hostId(FAR))]);
  const published: NodeStatusTopic[] = [];
  await stage.bus('listener').subscribe(STATUSES_TOPIC, (bytes) => {
    published.push(codec('murmuration.node.StatusTopic').decode(bytes));
  });
  const askAccount = askerOf(account, node.runtime);
  const askConversation = askerOf(conversation, node.runtime);
  const people: Record<string, string> = {};
  for (const [index, username] of names.entries()) {
    const id = makeId(stage.clock.nowMs(), index % 4, index);
    people[username] = id;
    await settling(stage, askAccount)(id, 'register', registration(username));
  }
  return {
    stage,
    node,
    kinds: [account, conversation],
    archives,
    media,
    /** Starts another node. */
    start,
    mails,
    pushed,
    published,
    delivered,
    tables: stage.shared,
    id: (name: string) => people[name] ?? '',
    account: settling(stage, askAccount),
    /** As `account`, for what other servers may ask. */
    receive: settling(stage, receiverOf(account, node.runtime)),
    conversation: settling(stage, askConversation),
    askAccount,
    askConversation,
  };
}

/** Returns a way of asking by which all effects of a command are done when it is answered. */
function settling<C extends CommandTable<C>>({ clock }: Stage, ask: TypedAsk<C>): TypedAsk<C> {
  return async (...asked) => {
    const answer = ask(...asked);
    await clock.settle();
    const value = await answer;
    await clock.settle();
    return value;
  };
}

/** Returns the kinds that store files of a person. Nobody imports anything. */
const filesOf = (stage: Stage, media: MediaStore, archiveBytes: number | undefined) => [
  archivesIn(stage, media, archiveBytes),
  importsKind({ media, work: { carryOut: () => assert.fail('nobody imports here') } }),
];

const archivesIn = (stage: Stage, media: MediaStore, bytesMax = 4_000_000_000) =>
  archiveKind({
    ...{ tables: stage.shared, baseUrl: 'https://here.example', domain: 'here.example', media },
    ...{ emojiIn: () => [], nowMs: () => stage.clock.nowMs(), publicPem: async () => 'a key' },
    bytesMax: bytesMax,
  });

/** A push that was about to be sent. */
interface Pushed {
  readonly account: string;
  readonly subscription: string;
  readonly kind: string;
}

/** Returns the kind of push queues that record pushes and send none. */
function recordingPushes(stage: Stage, pushed: Pushed[]) {
  return pushKind({
    clock: stage.clock,
    random: { bytes: (count) => new Uint8Array(count), fraction: () => 0.5 },
    figures: new PushFigures(),
    alerts: {
      async of(account, subscription, _id, { kind }) {
        pushed.push({ account, subscription, kind });
        return 'hidden';
      },
    },
    sender: { send: async () => ({ kind: 'sent' }) },
  });
}

/** A media store in memory that a test can stop after a file is stored. */
class PausingMedia extends TableMedia {
  /** Names of all files that were ever stored. */
  readonly names = new Set<string>();
  afterPut: () => Promise<void> | undefined = () => undefined;

  override async put(name: string, bytes: Uint8Array): Promise<void> {
    this.names.add(name);
    await super.put(name, bytes);
    await this.afterPut();
  }
}

/** Returns the kind of hosts that take every activity. */
function recordingHosts(stage: Stage, delivered: Delivered[]) {
  return remoteHostKind(
    silentDeliveries({
      ...{ tables: stage.shared, clock: stage.clock },
      client: {
        async deliver(inbox, body, { keyId }) {
          delivered.push({ inbox, signer: keyId, activity: JSON.parse(Buffer.from(body).toString()) });
          return { kind: 'delivered' };
        },
      },
    }),
  );
}

export function registration(username: string) {
  return {
    username,
    email: `${username}@example.org`,
    passwordHash: 'hash',
    role: 'user',
    confirmed: username !== 'unconfirmed',
    approved: true,
    locale: 'en',
    confirmationNonce: 'confirmation-nonce',
  };
}
