import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { applicationOf, type Looker } from '../../gateway/viewing/status-views.js';
import { type Step, Story, says, step, Theatre } from '../../gateway/viewing/visibility-story.js';
import { targetAt } from '../../kit/network/sockets.js';
import { fc } from '../../kit/property.js';
import { type Asked, Person } from '../../kit/services/server.js';
import { prefixed, program, withoutSettings } from '../../kit/services/server-process.js';
import { until } from '../../kit/time/until.js';
import type { Place } from './node-address.js';

const run = promisify(execFile);
const STEPS = 20;
/** Timeout until all nodes know a decision of one. */
const KNOWN_MS_MAX = 60_000;

/** Returns steps of all kinds, and quotes of restricted statuses: the same ones for every run with a seed. */
function stepsOf(seed: number): Step[] {
  const [drawn = []] = fc.sample(fc.array(step, { minLength: STEPS, maxLength: STEPS }), { numRuns: 1, seed });
  const block: Step = { did: 'block', who: 0, whom: 2 };
  const quotes = [says(0), says(1, { quote: 0, mentions: 2 }), says(0, { visibility: 'private', mentions: 3 })];
  return [...quotes, { did: 'listen', who: 2, whom: 1 }, ...drawn, block];
}

/** Plays a story by requests to `place`, where many processes may answer. */
export async function playStory({ url, dataDir }: Place, seed: number): Promise<Story> {
  const target = targetAt(url);
  const nobody: Looker = { get: (path) => target.ask('GET', path) };
  const theatre = new Theatre((names) => peopleAt(target, dataDir, names), [nobody, await applicationOf(target)]);
  return Story.of(theatre, stepsOf(seed));
}

/** Asserts that everybody sees what they may and nothing else, as soon as all nodes know the changes. */
export async function assertTold(story: Story): Promise<void> {
  let faults = await story.faults();
  if (faults.length > 0)
    await until(
      'everybody sees what they may',
      async () => {
        faults = await story.faults();
        return faults.length === 0;
      },
      KNOWN_MS_MAX,
    ).catch(() => undefined);
  assert.deepEqual(faults, []);
}

/** Creates confirmed people with tokens by one call of the command line. */
async function peopleAt(target: Asked, dataDir: string, names: readonly string[]): Promise<Person[]> {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-story-'));
  try {
    const file = join(folder, 'people');
    const lines = names.map((username) => ({
      ...{ username, email: `${username}@example.org`, password: 'correct horse battery', confirmed: true },
      token: { scopes: 'read write follow' },
    }));
    await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const env = { ...withoutSettings(), ...prefixed({ DATA_DIR: dataDir }) };
    const args = [program, 'account', 'create', '--from', file, '--test-passwords'];
    const { stdout } = await run(process.execPath, args, { env });
    const made = stdout.trim().split('\n');
    return made.map((line) => {
      const { id, username, token } = JSON.parse(line) as { id: string; username: string; token: string };
      return new Person(target, id, username, token);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
