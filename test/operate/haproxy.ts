import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../support/free-port.js';
import { AS_SERVER, type PostgresServer, serverFolder } from './postgres-server.js';

export const haproxyProgram = (): string | null => (spawnSync('haproxy', ['-v']).status === 0 ? 'haproxy' : null);

/**
 * HAProxy in front of several servers. It asks a URL of each server whether the server is the leader, as with Patroni.
 * It does not end open sessions: the service itself must leave a former primary.
 */
export class HaProxy {
  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly process: ChildProcess,
    private readonly checks: readonly Server[],
  ) {}

  static async start(servers: readonly PostgresServer[], leader: () => PostgresServer): Promise<HaProxy> {
    const [port, folder] = [await freePort(), serverFolder()];
    const checks = servers.map((server) =>
      createServer((_request, response) => response.writeHead(server === leader() ? 200 : 503).end()),
    );
    const lines: string[] = [];
    for (const [at, check] of checks.entries()) {
      check.listen(0, '127.0.0.1');
      await once(check, 'listening');
      const { port: checkPort } = check.address() as AddressInfo;
      lines.push(`server s${at} 127.0.0.1:${servers[at]?.port ?? 0} check port ${checkPort}`);
    }
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
    return new HaProxy(port, folder, process, checks);
  }

  async remove(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
    for (const check of this.checks) {
      check.closeAllConnections();
      check.close();
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
