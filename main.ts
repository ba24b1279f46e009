import { runProgram } from './cli/program.js';
import packageInfo from './package.json' with { type: 'json' };

// Without a command: start a node.
const given = process.argv.slice(2);
const commands = ['start', 'serve', 'config', 'account', 'token', 'status', 'drain', 'help'];
const named = given.some((word) => commands.includes(word) || ['--help', '-h', '--version', '-V'].includes(word));
const isCommand = given[0] !== undefined && !given[0].startsWith('-');
const argv = named || isCommand ? process.argv : [...process.argv.slice(0, 2), 'start', ...given];
// A reader that has read enough (head, a closed pager) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.exitCode = await runProgram(argv, packageInfo.version);
