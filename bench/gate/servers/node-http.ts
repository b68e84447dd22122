/** The gate on a bare `node:http` server. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readOrder, reportListening } from '../../measuring/served.js';
import { BareGate } from './bare-gate.js';

const { databaseUrl, poolSize } = readOrder();
const gate = new BareGate(databaseUrl, poolSize);

async function answer({ url = '', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const found = await gate.answer(headers.authorization ?? '', query.get('version') ?? '', query.get('repo') ?? '');
  const body = JSON.stringify(found);
  response.writeHead(found === null ? 404 : 200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.destroy(error as Error));
});
server.listen(0, '127.0.0.1', () => reportListening(server.address()));
