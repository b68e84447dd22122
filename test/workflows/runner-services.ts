import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** A server of a test, on a port of its own. */
export class TestServer {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async answering(answer: Answer): Promise<TestServer> {
    const server = createServer((request, response) => void answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TestServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** Gives a job its identity token for the requested audience, as GitHub does, if the job sends its own token. */
export const identityService = (
  secret: string,
  token: () => Promise<string>,
  audience = 'shipgate',
): Promise<TestServer> =>
  TestServer.answering(async (request, response) => {
    const requested = new URL(request.url ?? '/', 'http://localhost').searchParams;
    const isAllowed =
      request.headers.authorization?.toLowerCase() === `bearer ${secret}` && requested.get('audience') === audience;
    response.writeHead(isAllowed ? 200 : 403, { 'content-type': 'application/json' });
    response.end(isAllowed ? JSON.stringify({ count: 1, value: await token() }) : '{"message":"no"}');
  });

/** A request that was forwarded. */
interface PassedRequest {
  /** The path with its query. */
  readonly path: string;
  readonly body: string;
}

/** A server in front of the service. It fails the given number of requests, and then forwards requests. */
export async function faultyGateServer(
  target: string,
  failures: number,
): Promise<{ server: TestServer; passed: readonly PassedRequest[] }> {
  let left = failures;
  const passed: PassedRequest[] = [];
  const server = await TestServer.answering(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (left > 0) {
      left -= 1;
      response.writeHead(503).end('{"error":"Not now."}');
      return;
    }
    passed.push({ path: request.url ?? '', body: Buffer.concat(chunks).toString('utf8') });
    const { authorization, 'content-type': type, 'content-encoding': encoding } = request.headers;
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(type !== undefined && { 'content-type': type }),
        ...(encoding !== undefined && { 'content-encoding': encoding }),
      },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(await answer.text());
  });
  return { server, passed };
}
