import type { Load, Target } from '../http-load.js';
import { at, Town } from '../town.js';

/** Several independent servers. */
export class Apart {
  private constructor(
    readonly towns: readonly Town[],
    readonly target: Target,
  ) {}

  /** Opens embedded servers, unless the settings of each say otherwise. */
  static async open(
    count: number,
    authors: number,
    followers: number,
    settingsOf: (index: number) => Readonly<Record<string, string>> = () => ({}),
  ): Promise<Apart> {
    const towns: Town[] = [];
    for (let index = 0; index < count; index++) {
      towns.push(await Town.open(authors, followers, { settings: settingsOf(index) }));
    }
    const target = {
      urls: towns.flatMap((town) => town.target.urls),
      pids: towns.flatMap((town) => town.target.pids),
      settled: async () => {
        for (const town of towns) await town.target.settled();
      },
    };
    return new Apart(towns, target);
  }

  async dispose(): Promise<void> {
    for (const town of this.towns) await town.dispose();
  }
}

/**
 * Combines the same load of several towns into one; calls alternate between the towns, as they do between the target's
 * addresses.
 */
export function together(loads: readonly Load[]): Load {
  const [first] = loads;
  if (first === undefined) throw new RangeError('no load');
  return {
    ...first,
    call: (index) => at(loads, index).call(Math.floor(index / loads.length)),
    before: async (round) => {
      for (const load of loads) await load.before?.(round);
    },
  };
}
