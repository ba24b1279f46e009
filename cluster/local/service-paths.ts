import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The folder that scripts/services.mjs fills; the commands of package.json run at the project's root. */
const FOLDER = join('.cache', 'services');

/** Returns the paths of the services. @throws when they have not been fetched */
export function servicePaths(): { readonly cassandraLib: string; readonly natsServer: string } {
  const found = (prefix: string, file: string): string => {
    const entries = existsSync(FOLDER) ? readdirSync(FOLDER) : [];
    for (const entry of entries
      .filter((name) => name.startsWith(prefix))
      .sort()
      .reverse()) {
      const path = join(process.cwd(), FOLDER, entry, file);
      if (existsSync(path)) return path;
    }
    throw new Error(`${prefix} is not in ${FOLDER}: run node scripts/services.mjs at the project's root`);
  };
  return { cassandraLib: found('cassandra-', 'lib'), natsServer: found('nats-server-', 'nats-server') };
}
