import { codec } from '../../../proto/codec.js';
import type { NodeActorCommand, NodeActorReply } from '../../../proto/gen/types.js';
import { isProblem, type Problem, type ProblemCode, Unavailable } from '../../domain/problem.js';
import type { RowCarrier } from '../carried-rows.js';
import type { AnyKind } from '../kind.js';
import { type Message, NotTaken } from './delivery.js';

const commandCodec = codec('murmuration.node.ActorCommand');
const replyCodec = codec('murmuration.node.ActorReply');
const NO_BYTES = new Uint8Array(0);

/** Returns the codecs of a kind's command and its reply. @throws Error when there is no such command */
function codecsOf(kind: AnyKind | undefined, command: string) {
  const found = kind !== undefined && Object.hasOwn(kind.commands, command) ? kind.commands[command] : undefined;
  if (found === undefined) throw new Error(`${kind?.name ?? 'that kind'} has no command ${command}`);
  return found;
}

export function encodeCommand(kind: AnyKind, message: Message, timeoutMs: number): Uint8Array {
  const { id, command, input, cause, idempotencyKey: once } = message;
  const payload = codecsOf(kind, command).in.encode(input);
  const body: NodeActorCommand = { kind: kind.name, id, command, payload, timeoutMs, traceId: '', once };
  return commandCodec.encode(cause === undefined ? body : { ...body, cause });
}

/**
 * Decodes a command from another node.
 * @throws Error on bytes that are no command of these kinds
 */
export function decodeCommand(
  kinds: ReadonlyMap<string, { readonly kind: AnyKind }>,
  bytes: Uint8Array,
): { readonly message: Message; readonly timeoutMs: number } {
  const { kind, id, command, payload, timeoutMs, cause, once } = commandCodec.decode(bytes);
  const input = codecsOf(kinds.get(kind)?.kind, command).in.decode(payload) as object;
  return {
    message: { kind, id, command, input, cause: cause ?? undefined, idempotencyKey: once ?? undefined },
    timeoutMs,
  };
}

export function encodeReply(kind: AnyKind, message: Message, reply: unknown, carrier: RowCarrier): Uint8Array {
  const { id, command, input } = message;
  if (!isProblem(reply)) {
    const shown = codecsOf(kind, command).shows?.(id, input, reply);
    const rows = shown === undefined ? [] : [...carrier.load(shown)];
    return encode({ status: 'ok', payload: codecsOf(kind, command).out.encode(reply), rows });
  }
  const fieldsJson = reply.fields === undefined ? '' : JSON.stringify(reply.fields);
  return encode({ status: 'problem', problem: { problem: reply.problem, detail: reply.detail, fieldsJson } });
}

/** Encodes a failure for another node. */
export function encodeFailure(error: unknown): Uint8Array {
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof NotTaken) return encode({ status: 'moved', detail });
  return encode({ status: error instanceof Unavailable ? 'unavailable' : 'failed', detail });
}

/** Decodes the outer message of another node's reply. */
export const openReply = (bytes: Uint8Array): NodeActorReply => replyCodec.decode(bytes);

/** Returns the reply. @throws the failure that the actor's node reported: NotTaken, Unavailable, or Error for a bug */
export function readReply(
  kind: AnyKind,
  command: string,
  { status, payload, problem, detail }: NodeActorReply,
): unknown {
  switch (status) {
    case 'ok':
      return codecsOf(kind, command).out.decode(payload);
    case 'problem':
      return problemOf(problem?.problem ?? '', problem?.detail ?? '', problem?.fieldsJson ?? '');
    case 'moved':
      throw new NotTaken(detail);
    case 'unavailable':
      throw new Unavailable(detail);
    default:
      throw new Error(detail === '' ? `the actor's node answered ${status}` : detail);
  }
}

function problemOf(code: string, detail: string, fieldsJson: string): Problem {
  const found = { problem: code as ProblemCode, detail };
  return fieldsJson === '' ? found : { ...found, fields: JSON.parse(fieldsJson) };
}

function encode(reply: Partial<NodeActorReply> & { readonly status: string }): Uint8Array {
  return replyCodec.encode({ payload: NO_BYTES, detail: '', rows: [], ...reply });
}
