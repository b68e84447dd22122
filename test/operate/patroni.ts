import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openSync, closeSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.js';
import { AS_SERVER, serverFolder, serverPrograms, signalServer } from './postgres-server.js';

const installed = (program: string): string | null => (spawnSync(program, ['--version']).status === 0 ? program : null);
export const patroniProgram = (): string | null => installed('patroni');
export const etcdProgram = (): string | null => installed('etcd');

/** A server of the cluster, with the port of the REST interface of its Patroni. */
interface Node {
  readonly name: string;
  readonly port: number;
  readonly checkPort: number;
  process: ChildProcess;
}

/** A member of the cluster, as `GET /cluster` of Patroni reports it. */
interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
}

/** Patroni allows no shorter life for the key of the leader. It is 30 seconds by default. */
const LEADER_LIFE_S = 20;
/** Patroni reads its settings and the state of the cluster this often. */
const LOOP_WAIT_S = 5;
const PATIENCE_MS = 120_000;

/**
 * Three PostgreSQL servers under Patroni, which elects the primary with the help of etcd. The settings are those of "Failover" in
 * docs/guides/self-hosting.md, without the watchdog, which needs a device.
 */
export class PatroniCluster {
  private readonly folder = serverFolder();
  private readonly password = randomBytes(12).toString('hex');
  private etcd: ChildProcess | null = null;
  private etcdUrl = '';
  readonly nodes: Node[] = [];

  static async start(): Promise<PatroniCluster> {
    const cluster = new PatroniCluster();
    try {
      await cluster.startEtcd();
      for (const name of ['a', 'b', 'c']) await cluster.add(name);
      await cluster.untilComplete();
    } catch (error) {
      await cluster.remove();
      throw error;
    }
    return cluster;
  }

  /** Returns a URL of the database of the service for a superuser on this server. */
  superuserUrl({ port }: Node): string {
    return `postgres://postgres:${this.password}@127.0.0.1:${port}/shipgate`;
  }

  /** Returns the node that Patroni reports as the leader, or null while there is none. */
  async leader(): Promise<Node | null> {
    const leader = (await this.members()).find(({ role, state }) => role === 'leader' && state === 'running');
    return this.nodes.find(({ name }) => name === leader?.name) ?? null;
  }

  /** Waits until another node than this one is the leader and accepts writes. Returns it. */
  async untilSucceeded(former: Node): Promise<Node> {
    return this.until('another leader', async () => {
      const leader = await this.leader();
      return leader !== null && leader !== former && (await answersAsPrimary(leader)) ? leader : null;
    });
  }

  /** Waits until there is a leader again. Returns it. */
  untilLed(): Promise<Node> {
    return this.until('a leader', async () => {
      const leader = await this.leader();
      return leader !== null && (await answersAsPrimary(leader)) ? leader : null;
    });
  }

  /** Waits until all nodes run, and one of the standbys is synchronous. */
  async untilComplete(): Promise<void> {
    await this.until('a complete cluster', async () => {
      const members = await this.members();
      const running = members.filter(({ state }) => state === 'running' || state === 'streaming');
      const has = (role: string): boolean => running.some((member) => member.role === role);
      return running.length === this.nodes.length && has('leader') && has('sync_standby') ? true : null;
    });
  }

  /** Lets the leader hand over to its synchronous standby, as an operator does before maintenance. */
  async switchOver(): Promise<void> {
    const leader = (await this.leader()) ?? this.nodes[0];
    const response = await fetch(`http://127.0.0.1:${leader?.checkPort ?? 0}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: leader?.name }),
    });
    if (!response.ok) throw new Error(`Patroni refused the switchover: ${await response.text()}`);
  }

  /** Changes the settings that all nodes share, and waits until each of them has read them. */
  async configure(settings: object): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${this.nodes[0]?.checkPort ?? 0}/config`, {
      method: 'PATCH',
      body: JSON.stringify(settings),
    });
    if (!response.ok) throw new Error(`Patroni refused the settings: ${await response.text()}`);
    await sleep(3 * LOOP_WAIT_S * 1_000);
  }

  /** Ends Patroni and PostgreSQL of a node at once, like a machine that loses its power. */
  async crash(node: Node): Promise<void> {
    await kill(node.process);
    signalServer(this.data(node.name), 'SIGKILL');
  }

  /** Starts a node again that crashed. */
  restart(node: Node): void {
    node.process = this.launch(node.name);
  }

  /** Stops or continues Patroni and PostgreSQL of a node, like a machine that hangs. */
  signal(node: Node, signal: 'SIGSTOP' | 'SIGCONT'): void {
    node.process.kill(signal);
    signalServer(this.data(node.name), signal);
  }

  /** Stops or continues etcd. */
  signalEtcd(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.etcd?.kill(signal);
  }

  async remove(): Promise<void> {
    for (const node of this.nodes) await this.crash(node);
    await kill(this.etcd);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async startEtcd(): Promise<void> {
    const [port, peers] = [await freePort(), await freePort()];
    this.etcdUrl = `127.0.0.1:${port}`;
    const url = `http://${this.etcdUrl}`;
    const options = { 'data-dir': join(this.folder, 'etcd'), 'listen-client-urls': url, 'advertise-client-urls': url };
    const own = { name: 'etcd', 'listen-peer-urls': `http://127.0.0.1:${peers}` };
    const rest = {
      'initial-advertise-peer-urls': own['listen-peer-urls'],
      'initial-cluster': `etcd=${own['listen-peer-urls']}`,
    };
    const flags = Object.entries({ ...options, ...own, ...rest }).map(([name, value]) => `--${name}=${value}`);
    this.etcd = this.spawn('etcd', flags, 'etcd');
    await this.until('etcd', async () => ((await fetch(`${url}/health`).catch(() => null))?.ok === true ? true : null));
  }

  private async add(name: string): Promise<void> {
    const [port, checkPort] = [await freePort(), await freePort()];
    const superuser = { username: 'postgres', password: this.password };
    const configuration = {
      scope: 'shipgate',
      name,
      restapi: { listen: `127.0.0.1:${checkPort}`, connect_address: `127.0.0.1:${checkPort}` },
      etcd3: { host: this.etcdUrl },
      bootstrap: {
        dcs: {
          ttl: LEADER_LIFE_S,
          loop_wait: LOOP_WAIT_S,
          retry_timeout: 5,
          synchronous_mode: true,
          synchronous_mode_strict: true,
          postgresql: {
            use_pg_rewind: true,
            parameters: { synchronous_commit: 'on', max_connections: 80, unix_socket_directories: '' },
          },
        },
        initdb: [{ encoding: 'UTF8' }, 'data-checksums'],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        data_dir: this.data(name),
        bin_dir: serverPrograms(),
        pgpass: join(this.folder, `${name}.pass`),
        authentication: { superuser, replication: superuser, rewind: superuser },
        pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'],
      },
      watchdog: { mode: 'off' },
    };
    // JSON is also YAML.
    writeFileSync(join(this.folder, `${name}.yml`), JSON.stringify(configuration), { mode: 0o644 });
    this.nodes.push({ name, port, checkPort, process: this.launch(name) });
    // The first server initializes the cluster, and the others copy its data.
    if (this.nodes.length === 1) await this.untilLed();
  }

  private launch(name: string): ChildProcess {
    return this.spawn('patroni', [join(this.folder, `${name}.yml`)], name);
  }

  private spawn(program: string, options: readonly string[], log: string): ChildProcess {
    const file = openSync(join(this.folder, `${log}.log`), 'a');
    const child = spawn(program, options, { ...AS_SERVER, stdio: ['ignore', file, file] });
    closeSync(file);
    return child;
  }

  /** Returns the output of Patroni and PostgreSQL of a node. */
  private log(name: string): string {
    return readFileSync(join(this.folder, `${name}.log`), 'utf8');
  }

  private data(name: string): string {
    return join(this.folder, name);
  }

  /** Returns the newest answer of the nodes, because one may be down or not yet know that it lost the key of the leader. */
  private async members(): Promise<readonly Member[]> {
    const answers = await Promise.all(
      this.nodes.map(async ({ checkPort }) => {
        const url = `http://127.0.0.1:${checkPort}/cluster`;
        const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
        return response?.ok ? ((await response.json()) as { members: readonly Member[] }).members : [];
      }),
    );
    const newest = (members: readonly Member[]): number => Math.max(0, ...members.map(({ timeline = 0 }) => timeline));
    return answers.reduce((best, members) => (newest(members) > newest(best) ? members : best));
  }

  private async until<T>(expected: string, read: () => Promise<T | null>): Promise<T> {
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(200)) {
      const found = await read();
      if (found !== null) return found;
    }
    const logs = this.nodes.map(({ name }) => `${name}: ${this.log(name).slice(-2_000)}`).join('\n');
    throw new Error(`Patroni does not report ${expected}: ${JSON.stringify(await this.members())}\n${logs}`);
  }
}

/** Kills a process, also one that is stopped, and waits for its end. It may have ended before. */
async function kill(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Returns whether the node has the key of the leader and accepts writes. HAProxy asks the same. */
async function answersAsPrimary({ checkPort }: Node): Promise<boolean> {
  const url = `http://127.0.0.1:${checkPort}/primary`;
  return (await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => null))?.status === 200;
}
