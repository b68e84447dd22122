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
import { assertNotConfigured, registerApp } from './setup/register-app.js';
import { SetupServer } from './setup/setup-server.js';

const USAGE = `Registers the service's GitHub App, and keeps its credentials sealed in the database.

  npm run setup -- [--org LOGIN] [--name NAME]

  --org   the organization that is to own the app; without it the app belongs to you
  --name  what the app is called; it must be free on GitHub

It uses the database of the service's own environment, while the service runs or not.
`;

const { values } = readCommandLine(USAGE, {
  options: { org: { type: 'string' }, name: { type: 'string' }, help: { type: 'boolean', default: false } },
});
if (values.help) exitWithUsage(USAGE);
// As a script gives them whose variable is not set: GitHub would only show that there is no such page.
if (values.org === '' || values.name === '') exitWithUsageError(USAGE, '--org and --name must not be empty.');

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const environment = readServiceEnvironment();
const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error('Given up.')));
});
await withServiceDatabase(environment, { migrates: true }, async (database) => {
  await assertNotConfigured(database, environment);
  const walk = await SetupServer.start({
    environment,
    organization: values.org ?? null,
    appName: values.name ?? (values.org === undefined ? 'Shipgate' : `Shipgate ${values.org}`),
    finish: (code) => registerApp(database, environment, new Clock(), code),
  });
  try {
    if (!isReachableFromGitHub(environment.githubUrl, environment.baseUrl)) {
      say(
        `GitHub cannot reach ${environment.baseUrl}, so the app gets no webhook and changes are seen by the sync only.`,
      );
      say('For webhooks end this, set BASE_URL to a public address, and begin again.');
    }
    say(`Open this address in a browser on this machine:\n\n  ${walk.url}\n`);
    const installUrl = await Promise.race([walk.end, interrupted]);
    say(`Shipgate is set up. Install the app in your organization:\n\n  ${installUrl}\n`);
  } finally {
    await walk.stop();
  }
});
