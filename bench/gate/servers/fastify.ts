/** The gate on a bare Fastify route: for API keys, and for identity tokens if `OIDC_ISSUER` is set. */
import { fastify } from 'fastify';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { readOrder, reportListening } from '../../measuring/served.js';
import { BareGate } from './bare-gate.js';

const { databaseUrl, poolSize } = readOrder();
const { OIDC_ISSUER } = process.env;
const gate = new BareGate(databaseUrl, poolSize);
const keys = createRemoteJWKSet(new URL(`${OIDC_ISSUER ?? 'http://127.0.0.1'}/jwks`));
const app = fastify();

app.get<{ Querystring: { version: string; repo: string } }>(
  '/api/milestones/check',
  async ({ query, headers: { authorization = '' } }, reply) => {
    const found = authorization.startsWith('Bearer sgk_')
      ? await gate.answer(authorization, query.version, query.repo)
      : await gate.answerRun(await findOwner(authorization.slice('Bearer '.length)), query.version, query.repo);
    return found ?? reply.status(404).send();
  },
);

async function findOwner(token: string): Promise<number> {
  const { payload } = await jwtVerify<{ readonly repository_owner_id: string }>(token, keys, {
    issuer: OIDC_ISSUER ?? '',
    audience: 'shipgate',
    algorithms: ['RS256'],
  });
  return Number(payload.repository_owner_id);
}

await app.listen({ port: 0, host: '127.0.0.1' });
reportListening(app.server.address());
