import type { Services } from '../http/services.js';
import { guardsOf } from './guards.js';

/** Records a sign-up that was refused for its e-mail provider, unless enough were recorded today. */
export async function noteRefused(
  services: Pick<Services, 'registry' | 'clock' | 'caches' | 'newPlainId'>,
  domain: string,
  address: string,
): Promise<void> {
  const { refusals, refusalsOfDomain } = guardsOf(services);
  if (refusalsOfDomain.take(domain) && refusals.take(''))
    await services.registry.refusedSignUp(domain, services.newPlainId(), address);
}
