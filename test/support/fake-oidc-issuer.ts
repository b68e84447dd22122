import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The path of an issuer's document in OpenID Connect Discovery 1.0. */
export const DISCOVERY = '/.well-known/openid-configuration';
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export const json =
  (body: unknown, status = 200): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

/** An issuer with a configurable response for each path, which may be wrong. */
export class FakeOidcIssuer {
  readonly requests: string[] = [];
  readonly answers = new Map<string, Answer>();
  readonly #server = createServer((request, response) => {
    this.requests.push(request.url ?? '');
    (this.answers.get(request.url ?? '') ?? json({}, 404))(request, response);
  });

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.answers.set(DISCOVERY, (request, response) =>
      json({ issuer: this.origin, jwks_uri: `${this.origin}/jwks` })(request, response),
    );
  }

  publish(...keys: readonly unknown[]): void {
    this.answers.set('/jwks', json({ keys }));
  }

  count(path: string): number {
    return this.requests.filter((url) => url === path).length;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
