import 'reflect-metadata';
import { Clock } from '../config/clock.js';
import { isReachableFromGitHub } from '../features/setup/app-manifest.js';
import {
  withServiceDatabase,
  readCommandLine,
  readServiceEnvironment,
  exitWithUsageError,
  exitWithUsage,
} from './commands/command-runtime.js';
import { assertNotConfigured, registerApp, SetupServer } from './setup/setup-server.js';

const USAGE = `Registers the service's GitHub App and stores its credentials encrypted in the database.

  npm run setup -- [--org LOGIN] [--name NAME]

  --org   the organization that owns the app; without it the app belongs to you
  --name  the name of the app; it must be free on GitHub

It uses the database of the service's environment. The service may be running.
`;

const { values } = readCommandLine(USAGE, {
  options: { org: { type: 'string' }, name: { type: 'string' }, help: { type: 'boolean', default: false } },
});
if (values.help) exitWithUsage(USAGE);
// A script may pass an unset variable. GitHub would then only show "page not found".
if (values.org === '' || values.name === '') exitWithUsageError(USAGE, '--org and --name must not be empty.');

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const environment = readServiceEnvironment();
const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => reject(new Error('The set-up was interrupted.')));
});
await withServiceDatabase(environment, { migrates: true }, async (database) => {
  await assertNotConfigured(database, environment);
  const server = await SetupServer.start({
    environment,
    organization: values.org ?? null,
    appName: values.name ?? (values.org === undefined ? 'Shipgate' : `Shipgate ${values.org}`),
    finish: (code) => registerApp(database, environment, new Clock(), code),
  });
  try {
    if (!isReachableFromGitHub(environment.githubUrl, environment.baseUrl)) {
      print(`GitHub cannot reach ${environment.baseUrl}, so the app gets no webhook and only the sync finds changes.`);
      print('To use webhooks, stop this command, set BASE_URL to a public address, and start again.');
    }
    print(`Open this address in a browser on this machine:\n\n  ${server.url}\n`);
    const installUrl = await Promise.race([server.end, interrupted]);
    print(`Shipgate is set up. Install the app in your organization:\n\n  ${installUrl}\n`);
  } finally {
    await server.stop();
  }
});
