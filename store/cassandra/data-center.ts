import { type Client, types } from 'cassandra-driver';
import { Misconfigured } from '../../actors/domain/problem.js';
import type { Pacing } from '../pacing.js';
import { storeHome } from '../tables.js';
import { CONDITIONAL_TIMEOUT_MS } from './connection.js';
import { isMistake, retried, unavailable } from './failures.js';
import { Statements } from './statements.js';

/** The key of the table's only row. */
const KEY = { century: 0 };

/**
 * Records the data centre at the first start. All nodes must use the same one: conditional changes and quorums are
 * local to a data centre, so two nodes in different ones could both own a shard. Only this row is read and written
 * across all data centres.
 * @throws Misconfigured when another one is recorded; Unavailable
 */
export async function checkDataCenter(
  client: Client,
  keyspace: string,
  dataCenter: string,
  pacing: Pick<Pacing, 'after'>,
): Promise<void> {
  const statements = new Statements(storeHome, keyspace);
  const select = statements.select(KEY);
  const read = () => client.execute(select.query, select.params, { consistency: types.consistencies.serial });
  let stored = (await retried('reading the data centre', read, pacing)).rows[0]?.value as Buffer | null | undefined;
  if (!stored) {
    const own = storeHome.value.encode({ dataCenter }) as Buffer;
    const { query, params } = statements.swap(KEY, undefined, own);
    try {
      const { rows } = await client.execute(query, params, {
        isIdempotent: false,
        readTimeout: CONDITIONAL_TIMEOUT_MS,
        consistency: types.consistencies.quorum,
        serialConsistency: types.consistencies.serial,
      });
      stored = rows[0]?.['[applied]'] === true ? own : (rows[0]?.value as Buffer);
    } catch (error) {
      throw isMistake(error) ? error : unavailable('recording the data centre', error);
    }
  }
  const recorded = storeHome.value.decode(stored).dataCenter;
  if (recorded === dataCenter) return;
  throw new Misconfigured(
    `the nodes of keyspace ${keyspace} use the data centre ${recorded} of Cassandra, and CASSANDRA_LOCAL_DC is ` +
      `${dataCenter}: set it to ${recorded}; nodes in several data centres are not supported`,
  );
}
