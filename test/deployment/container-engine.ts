import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { isInstalled } from './installed.js';

/**
 * The name of the image that this machine builds from its own Node and Debian's packages if it cannot get the image of
 * the Dockerfile.
 */
const LOCAL_NODE_IMAGE = `localhost/node-of-this-machine:${process.versions.node}`;

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Docker or Podman. The commands of the tests are the same for both. */
export class ContainerEngine {
  private constructor(
    private readonly program: 'docker' | 'podman',
    private readonly env: NodeJS.ProcessEnv,
    private readonly folder: string,
  ) {}

  /** Returns null, with a notice, if the machine has neither. */
  static find(): ContainerEngine | null {
    const folder = mkdtempSync(path.join(tmpdir(), 'shipgate-engine-'));
    if (spawnSync('docker', ['version'], { stdio: 'ignore' }).status === 0) {
      return new ContainerEngine('docker', process.env, folder);
    }
    if (!isInstalled('podman', 'the test of the image')) return null;
    const config = path.join(folder, 'containers.conf');
    // runc also runs where control groups have both versions. The limits are those of this process, because a container cannot get more.
    const runtime = spawnSync('runc', ['--version'], { stdio: 'ignore' }).error ? '' : 'runtime = "runc"';
    writeFileSync(
      config,
      `[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]\n[engine]\n${runtime}\n`,
    );
    return new ContainerEngine('podman', { ...process.env, CONTAINERS_CONF: config }, folder);
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Builds the image. Throws with the end of the log if that fails. */
  async build(tag: string): Promise<void> {
    const ofEngine =
      this.program === 'docker'
        ? []
        : ['--format', 'docker', '--isolation', 'chroot', '--build-arg', `NODE_IMAGE=${await this.nodeImage()}`];
    await this.succeed('build', ...ofEngine, '--file', 'docker/Dockerfile', '--tag', tag, '.');
  }

  /** Returns the image on which another one is built. */
  async baseOf(): Promise<string> {
    return this.program === 'docker' ? 'node:24-bookworm-slim' : this.nodeImage();
  }

  async run(...args: readonly string[]): Promise<Finished> {
    const child = spawn(this.program, args, { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { code: code ?? -1, stdout, stderr };
  }

  async succeed(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...args);
    if (code !== 0)
      throw new Error(`${this.program} ${args.join(' ')}\n${stdout.slice(-2_000)}${stderr.slice(-4_000)}`);
    return stdout;
  }

  /** Makes everything except /tmp read-only, also the folders that the engine would make writable by default. */
  get readOnly(): readonly string[] {
    return ['--read-only', ...(this.program === 'podman' ? ['--read-only-tmpfs=false'] : []), '--tmpfs', '/tmp'];
  }

  private async nodeImage(): Promise<string> {
    const official = process.env['NODE_IMAGE'] ?? 'docker.io/library/node:24-bookworm-slim';
    if ((await this.run('image', 'exists', official)).code === 0) return official;
    if ((await this.run('image', 'exists', LOCAL_NODE_IMAGE)).code === 0) return LOCAL_NODE_IMAGE;
    if ((await this.run('pull', official)).code === 0) return official;
    await this.makeNodeImage();
    return LOCAL_NODE_IMAGE;
  }

  /**
   * Builds an image of Debian's smallest system with Node and npm of this machine, for machines without a registry of
   * images.
   */
  private async makeNodeImage(): Promise<void> {
    const root = path.join(this.folder, 'root');
    runOrThrow('debootstrap', '--variant=minbase', 'bookworm', root);
    const npm = runOrThrow('npm', 'root', '--global');
    cpSync(process.execPath, path.join(root, 'usr/local/bin/node'));
    cpSync(path.join(npm, 'npm'), path.join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
    runOrThrow('ln', '--symbolic', '../lib/node_modules/npm/bin/npm-cli.js', path.join(root, 'usr/local/bin/npm'));
    runOrThrow('chroot', root, 'useradd', '--uid', '1000', '--create-home', 'node');
    // The settings for the package registry of this machine.
    const [settings, certificates] = ['globalconfig', 'cafile'].map((name) => runOrThrow('npm', 'config', 'get', name));
    for (const [from, to] of [
      [settings, '/usr/local/etc/npmrc'],
      [certificates, certificates],
    ]) {
      if (from && to && existsSync(from)) cpSync(from, path.join(root, to), { dereference: true });
    }
    const archive = path.join(this.folder, 'root.tar');
    runOrThrow(
      'tar',
      '--create',
      '--file',
      archive,
      '--directory',
      root,
      '--exclude=./var/cache/apt/archives/*.deb',
      '.',
    );
    rmSync(root, { recursive: true });
    await this.succeed('import', archive, LOCAL_NODE_IMAGE);
    rmSync(archive);
  }
}

function runOrThrow(program: string, ...args: readonly string[]): string {
  const { status, error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr.slice(-2_000)}`);
  return stdout.trim();
}
