import { join } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { systemClock } from '../actors/runtime/system.js';
import { withNode } from './connection.js';
import { addEmojiCommands } from './emoji.js';
import { reportFailedStart } from './failed-start.js';
import { addBlockListCommands } from './federation/block-lists.js';
import { addBlockCommands } from './federation/blocks.js';
import { addFederationCommands } from './federation/hosts.js';
import { addMoveCommands } from './federation/moves.js';
import { addRelayCommands } from './federation/relays.js';
import { addInstanceCommands } from './instance.js';
import { openLogger } from './logger.js';
import { Refused } from './operations.js';
import { withPeers } from './operator-peer.js';
import { printLine } from './running.js';
import { addSecondFactorCommand } from './second-factor.js';
import {
  BadSetting,
  flagOf,
  printable,
  readSettings,
  type SettingName,
  type Settings,
  settingNames,
} from './settings.js';
import { checkFiles } from './start-checks.js';

/** Exit codes of a refused command, and of unusable settings. */
const EXIT_REFUSED = 1;
const EXIT_BAD_SETTING = 2;

/** Runs the command line; returns the exit code. */
export async function runProgram(argv: readonly string[], version: string): Promise<number> {
  try {
    await build(version).parseAsync([...argv]);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // Commander has already printed one line that names the option.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_BAD_SETTING;
    if (error instanceof BadSetting) {
      process.stderr.write(`murmuration: ${error.message}\n`);
      return EXIT_BAD_SETTING;
    }
    if (error instanceof Refused || (error as Error).name === 'Unavailable') {
      process.stderr.write(`murmuration: ${(error as Error).message}\n`);
      return EXIT_REFUSED;
    }
    throw error;
  }
}

function build(version: string): Command {
  const program = new Command('murmuration')
    .description('A federated microblogging server')
    .version(version)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'murmuration: ')) });
  addServerCommands(program);
  addAccountCommands(program);
  const instance = program.command('instance').description('settings, rules and announcements of the instance');
  addInstanceCommands(
    (name, description) => reaching(instance, name, description),
    (flags, action) => withNode(settingsOf(flags), flags.node, action),
  );
  const emoji = program.command('emoji').description('custom emoji');
  addEmojiCommands(
    (name, description) => reaching(emoji, name, description),
    (flags, action) => withNode(settingsOf(flags), flags.node, action),
  );
  const federation = program.command('federation').description('other servers');
  addFederationCommands(
    (name, description) => reaching(federation, name, description),
    (flags, action) => withNode(settingsOf(flags), flags.node, action),
  );
  addBlockCommands(
    (name, description) => reaching(federation, name, description),
    (flags, action) => withNode(settingsOf(flags), flags.node, action),
  );
  const blockList = program.command('block-list').description('lists of domain blocks, read daily');
  addBlockListCommands(
    (name, description) => reaching(blockList, name, description),
    (flags, action) => withNode(settingsOf(flags), flags.node, action),
  );
  const relay = program.command('relay').description('relays of public statuses');
  addRelayCommands(
    (name, description) => reaching(relay, name, description),
    (flags, action) => withNode(settingsOf(flags), flags.node, action),
  );
  addLoadCommand(program);
  for (const [name, description] of [
    ['status', 'print the status of the node'],
    ['drain', 'hand over all shards and end the node'],
  ] as const) {
    reaching(program, name, description).action((flags) => askNode(name, flags));
  }
  return program;
}

const command = (parent: Command, name: string, description: string) =>
  withSettings(parent.command(name).description(description));

/** Returns a command that a running node carries out. */
const reaching = (parent: Command, name: string, description: string) =>
  command(parent, name, description).option(
    '--node <host:port>',
    'a node by its gRPC address, with the cluster secret',
  );

function addServerCommands(program: Command): void {
  command(program, 'start', 'start a node (the default)').action((flags) => start(flags));
  program.commands[0]?.alias('serve');
  command(program, 'config', 'print the effective settings').action((flags) => {
    process.stdout.write(`${printable(settingsOf(flags)).join('\n')}\n`);
  });
  command(program, 'compact', 'rewrite the store of a stopped embedded node, so that no file has deleted data').action(
    (flags) => compact(settingsOf(flags)),
  );
}

function addAccountCommands(program: Command): void {
  const account = program.command('account').description('accounts');
  reaching(account, 'create [name]', 'create an account, or many with --from')
    .option('--email <address>')
    .option('--password <password>')
    .option('--role <role>', 'user, moderator, admin or owner', 'user')
    .option('--confirmed', 'the address needs no confirmation')
    .option('--pending', 'the account waits for a moderator')
    .option('--from <file>', 'JSON lines {"username","email","password","role","confirmed","token"?: {"scopes"}}')
    .option('--test-passwords', 'hash cheaply: for load tests only')
    .action((name, flags) => createAccounts(name, flags));
  addMoveCommands(
    (name, description) => reaching(account, name, description),
    (flags, action) => withNode(settingsOf(flags), flags.node, action),
  );
  addSecondFactorCommand(
    (name, description) => reaching(account, name, description),
    (flags, action) => withNode(settingsOf(flags), flags.node, action),
  );
  const token = program.command('token').description('access tokens');
  reaching(token, 'create <name>', 'print a new token of an account')
    .option('--scopes <scopes>', 'separated by spaces', 'read write follow push')
    .action((name: string, flags) =>
      withNode(settingsOf(flags), flags.node, async (run) => {
        process.stdout.write(`${(await run('token.create', { username: name, scopes: flags.scopes })).token}\n`);
      }),
    );
}

/** Lists the load command, which is a program of its own: see bundle.ts. */
function addLoadCommand(program: Command): void {
  program
    .command('load')
    .description('load a Mastodon-compatible server of your own, and judge it (load --help)')
    .argument('[words...]')
    .helpOption(false);
}

type Flags = Readonly<Record<string, string | boolean | undefined>>;

/** The flags of all settings, which every command shares. */
const SETTING_OPTIONS = settingNames.map((name) => new Option(`${flagOf(name)} <value>`));

function withSettings(command: Command): Command {
  for (const option of SETTING_OPTIONS) command.addOption(option);
  return command;
}

function settingsOf(flags: Flags): Settings {
  const given: Partial<Record<SettingName, string>> = {};
  for (const name of settingNames) {
    const camel = name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const value = flags[camel];
    if (typeof value === 'string') given[name] = value;
  }
  return readSettings(given, process.env);
}

async function start(flags: Flags): Promise<void> {
  const settings = settingsOf(flags);
  await checkFiles(settings);
  const logger = await openLogger(settings.LOG_LEVEL ?? 'info', settings.NODE_NAME);
  const { runNode } = await import('./start.js');
  try {
    await runNode(settings, logger);
  } catch (error) {
    reportFailedStart(error, logger, process.stderr);
    process.exitCode = EXIT_REFUSED;
    process.exit();
  }
}

async function compact(settings: Settings): Promise<void> {
  if (settings.STORE !== 'lmdb')
    throw new Refused('only an embedded store can be compacted: use nodetool for Cassandra');
  const { compactStore } = await import('../store/lmdb/compact-store.js');
  const log = await openLogger(settings.LOG_LEVEL ?? 'info', settings.NODE_NAME);
  printLine(await compactStore({ folder: join(settings.DATA_DIR, 'store'), clock: systemClock, log }));
}

async function createAccounts(name: string | undefined, flags: Flags): Promise<void> {
  const { from, email, password, role } = flags;
  const testPassword = flags.testPasswords === true;
  await withNode(settingsOf(flags), flags.node, async (run) => {
    if (typeof from === 'string') {
      const { createFromFile } = await import('./bulk.js');
      const write = (stream: NodeJS.WriteStream) => (line: string) => void stream.write(`${line}\n`);
      const failed = await createFromFile(run, from, testPassword, write(process.stdout), write(process.stderr));
      if (failed > 0) process.exitCode = EXIT_REFUSED;
      return;
    }
    if (name === undefined || typeof email !== 'string' || typeof password !== 'string') {
      throw new Refused('account create needs NAME, --email and --password, or --from FILE');
    }
    const confirmed = flags.confirmed === true;
    const pending = flags.pending === true;
    const made = await run('account.create', {
      username: name,
      email,
      password,
      role: String(role),
      confirmed,
      pending,
      testPassword,
    });
    printLine(made);
  });
}

async function askNode(name: 'status' | 'drain', flags: Flags): Promise<void> {
  const settings = settingsOf(flags);
  const print = (answer: object) => void process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
  const { node } = flags;
  if (typeof node === 'string') await withPeers(settings, async (peers) => print(await peers.peer(node)[name]()));
  else await withNode(settings, undefined, async (run) => print(await run(name, {})));
}
