import { LocalPeers } from '../../transport/local-peers.js';
import { peersContract } from './peers-contract.js';

peersContract('local peers', async (service, t) => {
  const peers = new LocalPeers();
  peers.register('here', service);
  t.after(() => peers.close());
  return { peers, address: 'here', nowhere: 'nowhere' };
});
