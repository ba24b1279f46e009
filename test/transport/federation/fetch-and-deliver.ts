import { AddressGuard } from '../../../transport/address-guard.js';
import { CachedSchemes } from '../../../transport/federation/scheme-memory.js';
import { SignedClient } from '../../../transport/federation/signed-client.js';
import { realClock } from '../real-clock.js';
import { newKey } from './signed.js';

// Fetches and delivers to each address, and prints the outcomes as JSON: the authorities of a process are those of its
// environment.
const { signer } = newKey();
const client = new SignedClient({
  ...{ guard: new AddressGuard(['loopback']), userAgent: 'test', clock: realClock, instance: signer },
  ...{ schemes: new CachedSchemes(undefined), isSuspended: () => false },
});
const outcomes: unknown[] = [];
for (const url of process.argv.slice(2)) {
  outcomes.push(await client.object(url), await client.deliver(url, Buffer.from('{}'), signer));
}
await client.close();
console.log(JSON.stringify(outcomes));
