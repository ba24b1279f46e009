import { InProcessHub } from '../../transport/in-process-bus.js';
import { busContract } from './bus-contract.js';
import { realClock } from './real-clock.js';

busContract('in-process bus', async (t) => {
  const hub = new InProcessHub(realClock);
  const buses = [hub.bus('one'), hub.bus('two')] as const;
  t.after(async () => {
    for (const bus of buses) await bus.close();
  });
  return buses;
});
