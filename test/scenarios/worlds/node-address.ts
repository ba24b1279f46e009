import { ServerProcess } from '../../kit/services/server-process.js';

/** Where requests go, and the folder of a node on this machine, for the command line. */
export interface Place {
  readonly url: string;
  readonly dataDir: string;
  /** Of all nodes, any of which may write the mail to somebody; absent: there is one. */
  readonly dataDirs?: readonly string[];
}

/** Where mail to anybody is found. */
export const mailDirsOf = ({ dataDir, dataDirs = [dataDir] }: Place): readonly string[] => dataDirs;

/** What tests over all routes ask: one node, or several that are one server. */
export interface Ground {
  /** Where people and things are made; in front of several nodes each request goes to another. */
  readonly place: Place;
  readonly nodes: readonly ServerProcess[];
  dispose(): Promise<void>;
}

/** One node with a store of its own. */
export async function oneNode(): Promise<Ground> {
  const node = await ServerProcess.start({ LOG_LEVEL: 'warn' });
  return { place: node, nodes: [node], dispose: () => node.dispose() };
}
