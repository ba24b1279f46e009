import { ServerProcess } from '../../kit/services/server-process.js';

/** The address of requests, and the folder of a node on this machine, for the command line. */
export interface Place {
  readonly url: string;
  readonly dataDir: string;
  /** Folders of all nodes, any of which may write a mail; absent for a single node. */
  readonly dataDirs?: readonly string[];
}

/** Returns the folders in which mail may be found. */
export const mailDirsOf = ({ dataDir, dataDirs = [dataDir] }: Place): readonly string[] => dataDirs;

/** The target of tests over all routes: one node, or several that form one server. */
export interface Ground {
  /** The place where people and data are created; with several nodes each request goes to another. */
  readonly place: Place;
  readonly nodes: readonly ServerProcess[];
  dispose(): Promise<void>;
}

/** Starts one node with its own store. */
export async function oneNode(): Promise<Ground> {
  const node = await ServerProcess.start({ LOG_LEVEL: 'warn' });
  return { place: node, nodes: [node], dispose: () => node.dispose() };
}
