import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../support/free-port.js';
import { AS_SERVER, serverFolder } from './postgres-server.js';

export const haproxyProgram = (): string | null => (spawnSync('haproxy', ['-v']).status === 0 ? 'haproxy' : null);

/**
 * HAProxy in front of several servers. It asks the REST interface of Patroni, at another port, whether a server is the primary.
 * It does not end open sessions: the service itself must leave a former primary.
 */
export class HaProxy {
  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly process: ChildProcess,
  ) {}

  static async start(servers: readonly { readonly port: number; readonly checkPort: number }[]): Promise<HaProxy> {
    const [port, folder] = [await freePort(), serverFolder()];
    const lines = servers.map((server, at) => `server s${at} 127.0.0.1:${server.port} check port ${server.checkPort}`);
    writeFileSync(
      join(folder, 'cfg'),
      `defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  default-server inter 500ms fall 2 rise 1
  ${lines.join('\n  ')}
`,
    );
    const process = spawn('haproxy', ['-db', '-f', join(folder, 'cfg')], { ...AS_SERVER, stdio: 'ignore' });
    return new HaProxy(port, folder, process);
  }

  async remove(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
