// Records the data of a release: `node dist/test/scenarios/stored/record.js 0.1.0`.
import { record } from './stored-data.js';

const [version] = process.argv.slice(2);
if (version === undefined) throw new Error('name the version');
await record(version);
