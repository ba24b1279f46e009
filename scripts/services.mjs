// Fetches the real services that tests and `npm run cluster` start: Cassandra's jars by Maven, nats-server by Go. Uses
// only Node's built-in modules. Both are stored under .cache/services; a folder with its final name is a complete
// fetch.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CASSANDRA_VERSION = '5.0.4';
const NATS_VERSION = 'v2.15.2';
/** Timeout of a fetch, long enough for a slow line. */
const FETCH_MS_MAX = 15 * 60_000;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const servicesDir = join(root, '.cache', 'services');

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>cassandra</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.cassandra</groupId><artifactId>cassandra-all</artifactId><version>${CASSANDRA_VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;

/** Builds `target` in a folder of this process and renames it, so that two runs do not mix. */
export async function fetchInto(target, fill) {
  if (existsSync(target)) return;
  const draft = `${target}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    await fill(draft);
    renameSync(draft, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function fetchCassandra(draft) {
  const work = join(draft, 'work');
  mkdirSync(work);
  writeFileSync(join(work, 'pom.xml'), pom);
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
  const args = ['-q', '-B', '-f', join(work, 'pom.xml'), goal, `-DoutputDirectory=${join(draft, 'lib')}`];
  await run('mvn', args, { timeout: FETCH_MS_MAX, maxBuffer: 2 ** 26 });
  rmSync(work, { recursive: true });
}

async function fetchNats(draft) {
  const env = { ...process.env, GOBIN: draft, GOFLAGS: '-trimpath' };
  const module = `github.com/nats-io/nats-server/v2@${NATS_VERSION}`;
  await run('go', ['install', module], { env, timeout: FETCH_MS_MAX, maxBuffer: 2 ** 26 });
}

/** Fetches missing services; resolves when both are present. */
export async function fetchServices() {
  mkdirSync(servicesDir, { recursive: true });
  await Promise.all([
    fetchInto(join(servicesDir, `cassandra-${CASSANDRA_VERSION}`), fetchCassandra),
    fetchInto(join(servicesDir, `nats-server-${NATS_VERSION}`), fetchNats),
  ]);
  return {
    cassandraLib: join(servicesDir, `cassandra-${CASSANDRA_VERSION}`, 'lib'),
    natsServer: join(servicesDir, `nats-server-${NATS_VERSION}`, 'nats-server'),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(JSON.stringify(await fetchServices()));
