import { runProgram } from './cli/program.js';
import packageInfo from './package.json' with { type: 'json' };

// Without a command: start a node.
const given = process.argv.slice(2);
const commands = ['start', 'serve', 'config', 'account', 'token', 'status', 'drain', 'help'];
const named = given.some((word) => commands.includes(word) || ['--help', '-h', '--version', '-V'].includes(word));
const argv = named ? process.argv : [...process.argv.slice(0, 2), 'start', ...given];
process.exitCode = await runProgram(argv, packageInfo.version);
