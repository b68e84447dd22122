/** A bare Fastify route that stores deliveries without a check of the signature and without a job. */
import { fastify } from 'fastify';
import { Pool } from 'pg';
import { readOrder, reportListening } from '../../measuring/served.js';
import { INSERT_BARE } from '../bare-inbox.js';

const { databaseUrl, poolSize } = readOrder();
const pool = new Pool({ connectionString: databaseUrl, max: poolSize });
const app = fastify();

app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
app.post<{ Body: string }>('/api/webhook', async ({ headers, body }, reply) => {
  await pool.query({
    name: 'keep',
    text: INSERT_BARE,
    values: [headers['x-github-delivery'], headers['x-github-event'], body],
  });
  return reply.status(202).send({});
});

await app.listen({ port: 0, host: '127.0.0.1' });
reportListening(app.server.address());
