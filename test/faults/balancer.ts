import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/**
 * Sends requests to several processes in turn, each on its own connection. If a process does not accept a request, the
 * next one gets it. The balancer waits for "100 Continue" before it sends the body (RFC 9110, section 10.1.1): a server
 * that sends it has accepted the request, and must answer it. A connection alone proves nothing, because the system can
 * open it without the process.
 */
export class Balancer {
  /** Requests that were accepted and then not answered. */
  readonly cut: string[] = [];
  private readonly server: Server;
  private turn = 0;

  private constructor(
    private readonly ports: readonly number[],
    readonly port: number,
  ) {
    this.server = createServer((from, to) => void this.handOn(from, to).catch(() => to.destroy()));
  }

  static async start(port: number, ports: readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(ports, port);
    balancer.server.listen(port, '127.0.0.1');
    await once(balancer.server, 'listening');
    return balancer;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async handOn(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of from) chunks.push(chunk as Buffer);
    this.turn += 1;
    const candidates = this.ports.map((_, index) => this.ports[(this.turn + index) % this.ports.length] ?? 0);
    for (const port of candidates) {
      const outcome = await this.forward(port, from, Buffer.concat(chunks), to);
      if (outcome === 'answered') return;
      if (outcome === 'cut') break;
    }
    to.destroy();
  }

  private forward(
    port: number,
    { method = 'GET', url = '/', headers }: IncomingMessage,
    body: Buffer,
    to: ServerResponse,
  ): Promise<'answered' | 'refused' | 'cut'> {
    return new Promise((resolve) => {
      let isTaken = false;
      const fail = (error: NodeJS.ErrnoException): void => {
        if (!isTaken) return resolve('refused');
        this.cut.push(`${method} ${url.split('?')[0] ?? ''}: ${error.code ?? error.message}`);
        resolve('cut');
      };
      const expecting = { ...headers, expect: '100-continue' };
      const requested = request({ port, host: '127.0.0.1', agent: false, method, path: url, headers: expecting });
      requested.once('error', fail);
      requested.once('continue', () => {
        isTaken = true;
        requested.end(body);
      });
      requested.once('response', (answer) => {
        const received: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => received.push(chunk));
        answer.once('error', fail);
        answer.once('end', () => {
          const { connection: _connection, 'transfer-encoding': _encoding, ...stored } = answer.headers;
          to.writeHead(answer.statusCode ?? 500, stored).end(Buffer.concat(received));
          resolve('answered');
        });
      });
      requested.flushHeaders();
    });
  }
}
