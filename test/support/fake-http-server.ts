import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface SeenRequest {
  /** Method and path, as `GET /app`. */
  readonly route: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. `text` is sent unchanged. */
  readonly json?: unknown;
  readonly text?: string;
  /**
   * `hang` never responds, `drop` closes the connection without a response, `truncate` closes it halfway through the
   * body.
   */
  readonly fault?: 'hang' | 'drop' | 'truncate';
}

type Script = (request: SeenRequest) => Reply;

/** An HTTP server on a real socket with fixed responses for each route, for faults that a simulator does not have. */
export class FakeHttpServer {
  readonly seen: SeenRequest[] = [];
  private readonly scripts = new Map<string, Script[]>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<FakeHttpServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const host = new FakeHttpServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (message, response) => void host.answer(message, response));
    return host;
  }

  /** The replies to the calls of a route, in order. All later calls get the last reply. */
  on(route: string, ...replies: readonly (Reply | Script)[]): void {
    this.scripts.set(
      route,
      replies.map((reply) => (typeof reply === 'function' ? reply : () => reply)),
    );
  }

  calls(route: string): readonly SeenRequest[] {
    return this.seen.filter((request) => request.route === route);
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(message.url ?? '/', this.url);
    const request = {
      route: `${message.method} ${pathname}`,
      query: searchParams,
      headers: message.headers,
      body: await text(message),
    };
    this.seen.push(request);
    send(response, this.replyTo(request));
  }

  private replyTo(request: SeenRequest): Reply {
    const scripts = this.scripts.get(request.route) ?? [];
    const script = scripts[Math.min(this.calls(request.route).length, scripts.length) - 1];
    return script?.(request) ?? { status: 404, json: { message: 'Not Found' } };
  }
}

function send(response: ServerResponse, { status = 200, headers = {}, json, text, fault }: Reply): void {
  if (fault === 'hang') return;
  if (fault === 'drop') {
    response.destroy();
    return;
  }
  const body = text ?? (json === undefined ? '' : JSON.stringify(json));
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  if (fault === 'truncate') {
    response.write(body.slice(0, body.length / 2), () => response.destroy());
    return;
  }
  response.end(body);
}
