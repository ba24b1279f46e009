import assert from 'node:assert/strict';
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { newKey, received } from '../../test/transport/federation/signed.js';
import { signatureHeaders } from '../../transport/federation/signatures/signing.js';
import { SignatureVerifier } from '../../transport/federation/verification.js';
import { OtherWork } from '../process-figures.js';
import type { Row } from '../row.js';

const COUNT = 4_000;
const ROUNDS = 5;
const IN_FLIGHT = 32;
/** Parsing, digest and hand-over may cost this much more than the bare operation: the costs of other work on a Create. */
const EXTRA_CPU_S_MAX = 0.06;
const INBOX = new URL('https://far.example/users/bob/inbox');
/** The size of a Create. */
const BODY = Buffer.from(JSON.stringify({ type: 'Create', content: 'x'.repeat(2_000) }));

const verifyOnPool = promisify<'sha256', Uint8Array, KeyObject, Uint8Array, boolean>(verify);
const signOnPool = promisify<'sha256', Uint8Array, KeyObject, Buffer>(sign);

/** Measures signatures of deliveries in both schemes, in turn with the bare operations of RSA-2048 on libuv's pool. */
export async function benchSignatures(): Promise<Row[]> {
  const { privateKey, publicPem, signer } = newKey();
  const publicKey = createPublicKey(publicPem);
  const verifier = new SignatureVerifier(undefined);
  const nowMs = Date.now();
  const request = { method: 'POST', url: INBOX, body: BODY } as const;
  const [cavage, rfc9421] = [
    await received('cavage', request, signer, nowMs),
    await received('rfc9421', request, signer, nowMs),
  ];
  const text = Buffer.alloc(300, 'x');
  const signature = await signOnPool('sha256', text, privateKey);
  const is = (expected: unknown) => (found: unknown) => assert.deepEqual(found, expected);
  const verifying = {
    bare: () => verifyOnPool('sha256', text, publicKey, signature).then(is(true)),
    'cavage-12': () => verifier.verify(cavage, publicPem, nowMs).then(is(true)),
    'RFC 9421': () => verifier.verify(rfc9421, publicPem, nowMs).then(is(true)),
  };
  const signing = {
    bare: () => signOnPool('sha256', text, privateKey),
    'cavage-12': () => signatureHeaders('cavage', request, signer, nowMs),
    'RFC 9421': () => signatureHeaders('rfc9421', request, signer, nowMs),
  };
  return [...(await inTurn('verify', verifying)), ...(await inTurn('sign', signing))];
}

/** Measures ways of doing something in turn. The first is the bare one. */
async function inTurn(what: string, ways: Readonly<Record<string, () => Promise<unknown>>>): Promise<Row[]> {
  const rounds = new Map(Object.keys(ways).map((name) => [name, [] as Figures[]]));
  const others = new OtherWork([]);
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const figures = await measured(way);
      if (round > 0) rounds.get(name)?.push(figures);
    }
  }
  const otherCores = others.cores();
  let bare = 0;
  return [...rounds].map(([name, all], index) => {
    const costs = all.map(({ cpuSecondsPer1000 }) => cpuSecondsPer1000).sort((a, b) => a - b);
    const cpuSecondsPer1000 = costs[Math.floor(ROUNDS / 2)] ?? 0;
    if (index === 0) bare = cpuSecondsPer1000;
    const perSecond = all.map((one) => one.perSecond).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
    return {
      name: `${what} a delivery of 2 KB: ${name}, ${IN_FLIGHT} in flight (whole process)`,
      ...{ perSecond, cpuSecondsPer1000, otherCores },
      cpuSecondsPer1000Between: [costs[0] ?? 0, costs.at(-1) ?? 0],
      ...(index === 0
        ? {}
        : { target: `≤ bare + ${EXTRA_CPU_S_MAX}`, reached: cpuSecondsPer1000 <= bare + EXTRA_CPU_S_MAX }),
    };
  });
}

interface Figures {
  readonly perSecond: number;
  readonly cpuSecondsPer1000: number;
}

async function measured(way: () => Promise<unknown>): Promise<Figures> {
  const [cpu, startedMs] = [process.cpuUsage(), performance.now()];
  let left = COUNT;
  const worker = async () => {
    while (left-- > 0) await way();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - startedMs) / 1_000;
  return { perSecond: COUNT / seconds, cpuSecondsPer1000: (user + system) / 1e6 / (COUNT / 1_000) };
}
