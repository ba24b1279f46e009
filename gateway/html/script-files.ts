import { createHash } from 'node:crypto';
import { SCRIPTS } from './scripts.js';

const DIGEST_CHARS = 12;

const pathOf = (name: string, script: string): string =>
  `/assets/${name}-${createHash('sha256').update(script).digest('hex').slice(0, DIGEST_CHARS)}.js`;

type Name = keyof typeof SCRIPTS;
const paths = new Map(Object.entries(SCRIPTS).map(([name, script]) => [name, pathOf(name, script)]));

/** Returns the path of a script. It changes with the content, so browsers may keep each version for good. */
export const scriptPath = (name: Name): string => paths.get(name) ?? '';

/** Scripts with their paths. */
export const SCRIPT_FILES: readonly (readonly [path: string, script: string])[] = Object.entries(SCRIPTS).map(
  ([name, script]) => [scriptPath(name as Name), script],
);
