import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const PROBE_EVERY_MS = 100;
/** A process of a busy machine may answer late. One that does not listen refuses at once. */
const PROBE_TIMEOUT_MS = 3_000;

/**
 * An ordinary load balancer: it sends each request to a process that was ready at the last probe, on a connection that
 * it keeps open, and never sends a request a second time.
 */
export class ReadinessProxy {
  /** Requests that were answered with 5xx, or not at all. */
  readonly failed: string[] = [];
  passed = 0;
  private readonly ready = new Set<number>();
  private readonly agent = new Agent({ keepAlive: true });
  private readonly server: Server;
  private readonly timer: NodeJS.Timeout;
  private turn = 0;

  private constructor(private readonly ports: readonly number[]) {
    this.server = createServer((from, to) => this.forward(from, to));
    this.timer = setInterval(() => void this.probe(), PROBE_EVERY_MS);
  }

  static async start(port: number, ports: readonly number[]): Promise<ReadinessProxy> {
    const proxy = new ReadinessProxy(ports);
    proxy.server.listen(port, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.agent.destroy();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Waits until the process at the port was ready at the last probe. */
  async untilReady(port: number): Promise<void> {
    for (let tries = 0; tries < 600 && !this.ready.has(port); tries += 1) await sleep(50);
    if (!this.ready.has(port)) throw new Error('The process did not become ready.');
  }

  private async probe(): Promise<void> {
    await Promise.all(
      this.ports.map(async (port) => {
        const isReady = await fetch(`http://127.0.0.1:${port}/api/health/ready`, {
          signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
        }).then(
          (answer) => answer.ok,
          () => false,
        );
        if (isReady) this.ready.add(port);
        else this.ready.delete(port);
      }),
    );
  }

  private forward(from: IncomingMessage, to: ServerResponse): void {
    const candidates = this.ports.filter((port) => this.ready.has(port));
    const port = candidates[(this.turn += 1) % Math.max(1, candidates.length)];
    const { method = 'GET', url = '/', headers } = from;
    const fail = (reason: string): void => {
      this.failed.push(`${method} ${url.split('?')[0] ?? ''}: ${reason}`);
      to.destroy();
    };
    if (port === undefined) return fail('no process is ready');
    const forwarded = request({ port, host: '127.0.0.1', agent: this.agent, method, path: url, headers });
    forwarded.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
    forwarded.once('response', (answer) => {
      const { statusCode: status = 0 } = answer;
      if (status >= 500) this.failed.push(`${method} ${url.split('?')[0] ?? ''}: ${status}`);
      else this.passed += 1;
      const { connection: _connection, ...stored } = answer.headers;
      to.writeHead(status, stored);
      answer.pipe(to);
    });
    from.pipe(forwarded);
  }
}
