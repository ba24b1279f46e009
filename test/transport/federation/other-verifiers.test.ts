import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { cavage, createSigner, createVerifier, httpbis } from 'http-message-signatures';
import { contentDigestOf, digestOf } from '../../../transport/federation/signatures/digests.js';
import { signatureHeaders } from '../../../transport/federation/signatures/signing.js';
import { SignatureVerifier } from '../../../transport/federation/verification.js';
import { newKey, requestOf } from './signed.js';

const key = newKey();
const verifier = new SignatureVerifier(undefined);
const inbox = new URL('https://far.example/users/bob/inbox?page=1');
const body = Buffer.from('{"type":"Like","object":"ü"}');
const requests = [
  { method: 'POST', url: inbox, body },
  { method: 'GET', url: inbox, body: undefined },
] as const;

test('http-message-signatures verifies our signatures', async () => {
  const keyLookup = async () => ({ verify: createVerifier(key.publicPem, 'rsa-v1_5-sha256') });
  for (const { method, url, body } of requests) {
    for (const [scheme, library] of [
      ['cavage', cavage],
      ['rfc9421', httpbis],
    ] as const) {
      const headers = {
        host: url.host,
        ...(await signatureHeaders(scheme, { method, url, body }, key.signer, Date.now())),
      };
      assert.equal(await library.verifyMessage({ keyLookup }, { method, url, headers }), true, `${scheme} ${method}`);
      const forged = { method, url: `${url.href}&more=1`, headers };
      assert.ok(!(await library.verifyMessage({ keyLookup }, forged)), `${scheme} ${method}`);
    }
  }
});

test('signatures of http-message-signatures verify here', async () => {
  const own = createSigner(key.privateKey, 'rsa-v1_5-sha256', key.signer.keyId);
  for (const { method, url, body } of requests) {
    const message = {
      method,
      url: url.href,
      headers: {
        host: url.host,
        date: new Date().toUTCString(),
        ...(body && { digest: digestOf(body), 'content-digest': contentDigestOf(body) }),
      },
    };
    const draft = {
      key: own,
      fields: ['@request-target', 'host', 'date', ...(body ? ['digest'] : [])],
      params: ['keyid', 'alg'],
    };
    const rfc = {
      key: own,
      fields: ['@method', '@target-uri', '@authority', 'date', ...(body ? ['content-digest'] : [])],
      params: ['created', 'keyid', 'alg', 'expires'],
    };
    for (const signed of [await cavage.signMessage(draft, message), await httpbis.signMessage(rfc, message)]) {
      const request = requestOf(method, url, signed.headers as Record<string, string>, body);
      assert.equal(await verifier.verify(request, key.publicPem, Date.now()), true, JSON.stringify(signed.headers));
    }
  }
});

test('apsig, unmodified, verifies our signatures, and its signatures verify here', async () => {
  const python = process.env.TEST_PYTHON;
  assert.ok(python, 'TEST_PYTHON names the interpreter that has apsig; scripts/test.mjs sets it');
  const ours = await Promise.all(
    requests.flatMap(({ method, body }) =>
      (['cavage', 'rfc9421'] as const).map(async (scheme) => {
        // apsig signs and verifies paths without their queries.
        const url = new URL(inbox.pathname, inbox);
        const headers = {
          host: url.host,
          ...(await signatureHeaders(scheme, { method, url, body }, key.signer, Date.now())),
        };
        return { scheme, method, url: url.href, headers, body: body?.toString() ?? '' };
      }),
    ),
  );
  const input = {
    requests: ours,
    keyId: key.signer.keyId,
    publicPem: key.publicPem,
    privatePem: key.privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  const running = promisify(execFile)(python, [join(process.cwd(), 'test/scenarios/clients/signatures.py')]);
  running.child.stdin?.end(JSON.stringify(input));
  const { verified, signed } = JSON.parse((await running).stdout) as {
    verified: unknown[];
    signed: { scheme: string; method: string; url: string; headers: Record<string, string>; body: string }[];
  };
  assert.deepEqual(
    verified,
    ours.map(() => key.signer.keyId),
  );
  assert.deepEqual(
    signed.map(({ scheme, method }) => `${scheme} ${method}`),
    ours.map(({ scheme, method }) => `${scheme} ${method}`),
  );
  for (const { method, url, headers, body } of signed) {
    const request = requestOf(method, new URL(url), headers, Buffer.from(body));
    assert.equal(await verifier.verify(request, key.publicPem, Date.now()), true, JSON.stringify(headers));
  }
});
