import packageInfo from '../package.json' with { type: 'json' };
import { runProgram } from './program.js';

const COMMANDS = ['start', 'serve', 'config', 'account', 'token', 'load', 'status', 'drain', 'help'];
const QUESTIONS = ['--help', '-h', '--version', '-V'];

/** Runs `node main.js WORDS…`; without a command it starts a node. Returns the exit code. */
export async function commandLine(words: readonly string[]): Promise<number> {
  const isNamed = words.some((word) => COMMANDS.includes(word) || QUESTIONS.includes(word));
  const isCommand = words[0] !== undefined && !words[0].startsWith('-');
  return runProgram(
    [...process.argv.slice(0, 2), ...(isNamed || isCommand ? [] : ['start']), ...words],
    packageInfo.version,
  );
}
