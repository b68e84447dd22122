import 'reflect-metadata';
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { createLogger, createServer } from 'vite';
import { Narrator } from './narrator.js';
import { createOtherReleases } from './other-releases.js';
import { createUsers } from './demo-users.js';
import { firstSteps } from './first-steps.js';
import { ReloadingService } from './reloading-service.js';
import { freePort, inherited, type RunningService } from './service-process.js';
import { DEFAULT_PORT, DemoEnvironment } from './demo-environment.js';
import { ReleaseWalkthrough } from './release-walkthrough.js';

const { values: options } = parseArgs({ options: { simulated: { type: 'boolean', default: false } } });
const root = process.cwd();
const print = (line: string): boolean => process.stdout.write(`${line}\n`);

let service: ReloadingService | undefined;
let ending: Promise<void> | undefined;
/** Ends the service, and with this process the simulated GitHub. */
const end = (code: number): Promise<void> =>
  (ending ??= (service?.stop() ?? Promise.resolve()).finally(() => process.exit(code)));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0));

// The service offers this file, and the sample data are uploaded with it. A fresh checkout does not have it yet.
await promisify(execFile)(process.execPath, ['scripts/bundle.mjs', 'dist/cli/shipgate.cjs'], { cwd: root }).catch(
  (error: { readonly stderr: string }) => print(`The command line could not be built:\n${error.stderr}`),
);

if (options.simulated) {
  try {
    await startSimulated();
  } catch (error) {
    // Requests fail when Ctrl-C takes the service away.
    if (!ending) print(`The sample data could not be created: ${String(error)}`);
    await end(1);
  }
} else {
  if (!process.env['GITHUB_APP_ID'])
    print('`npm run dev:sim` starts it with a simulated GitHub and sample data instead.');
  const port = process.env['PORT'] ?? String(DEFAULT_PORT);
  const { BASE_URL: baseUrl = `http://localhost:${port}` } = process.env;
  const servicePort = await serveDashboard(Number(port));
  const environment = { ...process.env, PORT: servicePort, BASE_URL: baseUrl };
  service = new ReloadingService(root, environment, (code) => void end(code));
  await service.untilReady();
  print(
    `Open ${baseUrl}. A change in src/ or migrations/ starts the service again; a change in web/ reloads the page.`,
  );
  service.checkTypes();
}

/**
 * Serves the dashboard from its sources on this port, and forwards all other requests to the service. Returns the port for the
 * service. Ends this process if another one uses the port.
 */
async function serveDashboard(port: number): Promise<string> {
  const servicePort = String(await freePort(port + 2));
  process.env['SHIPGATE_URL'] = `http://127.0.0.1:${servicePort}`;
  const log = createLogger('warn');
  const ours = process.listeners('SIGTERM');
  const server = await createServer({
    root: path.join(root, 'web'),
    server: { port, strictPort: true },
    customLogger: {
      ...log,
      // While the service starts again, each request of an open page fails. The page tries again.
      error: (text, options) => (text.includes('proxy error') ? undefined : log.error(text, options)),
    },
  });
  // Vite would end this process at once, and leave the service running.
  for (const added of process.listeners('SIGTERM')) if (!ours.includes(added)) process.off('SIGTERM', added);
  try {
    await server.listen();
  } catch (error) {
    if (!String(error).includes(`Port ${port} is already in use`)) throw error;
    print(`Another process uses port ${port}: stop it, or set PORT to a free port.`);
    await server.close();
    process.exit(1);
  }
  return servicePort;
}

/** Starts the service with a simulated GitHub, and with the releases and users of the demo as sample data. */
async function startSimulated(): Promise<void> {
  const folder = path.join(root, '.dev');
  rmSync(folder, { recursive: true, force: true });
  const port = Number(process.env['PORT'] ?? DEFAULT_PORT);
  // At info, the requests of the sample data would fill the screen before the address is printed.
  const variables = { LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn' };
  const environment = await DemoEnvironment.start(root, folder, { port, start, variables });
  const ciSettings = {
    serviceUrl: environment.service.url,
    issuer: environment.issuer,
    reports: path.join(root, 'test/demo/reports'),
  };
  const silent = new Narrator(true);
  const walk = new ReleaseWalkthrough(environment, ciSettings, silent);
  if (environment.portNotice !== null) print(environment.portNotice);
  print('Creating the sample data …');
  await walk.untilKnown(environment.repositories.payments, 'v1.4.0');
  await createOtherReleases(environment, ciSettings, walk, silent);
  const wrong = await walk.play();
  const { users, key } = await createUsers(environment);
  if (wrong > 0) print(`The sample data is incomplete: ${wrong} steps failed. \`npm run demo\` shows which.`);
  const { pages, shell } = firstSteps({ baseUrl: environment.baseUrl, root, key, hasArtifact: false });
  print(`\nOpen ${environment.baseUrl} and sign in as one of these users; no password is needed:`);
  for (const { login, about } of users) print(`  ${login}: ${about}`);
  print('Begin with one of these pages:');
  for (const { url, about } of pages) print(`  ${url}  ${about}`);
  print(`The simulated GitHub lists the pull requests that you can approve: ${environment.github.url}`);
  print('Act as CI: create the release v0.10.0 of catalog on the dashboard, and run these lines in another terminal:');
  for (const line of shell) print(`  ${line}`);
  print(
    '\nA change in src/ or migrations/ starts the service again; a change in web/ reloads the page. Ctrl-C ends all.\n',
  );
  service?.checkTypes();
}

async function start(environment: Readonly<Record<string, string>>): Promise<RunningService> {
  const { BASE_URL: url = '' } = environment;
  const servicePort = await serveDashboard(Number(new URL(url).port));
  const served = { ...inherited(), ...environment, PORT: servicePort };
  const reloading = new ReloadingService(root, served, (code) => void end(code));
  service = reloading;
  print('Starting the service from its sources …');
  await reloading.untilReady();
  return { url, stop: () => reloading.stop() };
}
