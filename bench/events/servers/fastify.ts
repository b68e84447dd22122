/** A bare fan-out. It sends every notification of the database to all connections, without authentication. */
import type { ServerResponse } from 'node:http';
import { fastify } from 'fastify';
import { Client } from 'pg';
import { answerMemory, readOrder, reportListening } from '../../measuring/served.js';

const { databaseUrl } = readOrder();
const readers = new Set<ServerResponse>();
const app = fastify();

app.get('/api/events', (_request, reply) => {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
  raw.write('retry: 5000\nid: 0\n\n');
  readers.add(raw);
  raw.once('close', () => readers.delete(raw));
});

const client = new Client({ connectionString: databaseUrl });
await client.connect();
client.on('notification', ({ payload = '' }) => {
  const frame = Buffer.from(`id: 1\nevent: sync.progress\ndata: ${payload}\n\n`);
  for (const reader of readers) reader.write(frame);
});
await client.query('listen bare_events');

answerMemory();
await app.listen({ port: 0, host: '127.0.0.1' });
reportListening(app.server.address());
