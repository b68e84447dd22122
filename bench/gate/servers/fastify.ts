/** The gate on a bare Fastify route. */
import { fastify } from 'fastify';
import { readOrder, reportListening } from '../../measuring/served.js';
import { BareGate } from './bare-gate.js';

const { databaseUrl, poolSize } = readOrder();
const gate = new BareGate(databaseUrl, poolSize);
const app = fastify();

app.get<{ Querystring: { version: string; repo: string } }>(
  '/api/milestones/check',
  async ({ query, headers }, reply) => {
    const found = await gate.answer(headers.authorization ?? '', query.version, query.repo);
    return found ?? reply.status(404).send();
  },
);

await app.listen({ port: 0, host: '127.0.0.1' });
reportListening(app.server.address());
