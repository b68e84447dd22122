import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { setCaller } from '../auth/caller.js';
import { toOrgId } from '../database/ids.js';
import { createLineLogger } from './logger.js';
import { Metrics } from './metrics.js';
import { setLoggedCaller, noteStreamBegan, installRequestLogging } from './request-logging.js';

const ORG_ID = toOrgId('5d1c7e0a-3b64-4a0f-9a57-2f8f0c6b1e42');

let server: FastifyInstance;
let lines: Record<string, unknown>[];
let metrics: Metrics;

beforeEach(() => {
  lines = [];
  server = fastify();
  const log = createLineLogger('info', {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  metrics = new Metrics();
  installRequestLogging(server, log, metrics);
});
afterEach(() => server.close());

describe('the log line of a request', () => {
  it('contains no caller if no request was authenticated', async () => {
    server.get('/open', () => ({}));
    await server.inject('/open');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toHaveProperty('tenantId');
    expect(lines[0]).not.toHaveProperty('caller');
  });

  it('contains tenant and kind of a caller, and no other property', async () => {
    server.get('/named', (request) => {
      setLoggedCaller(request, { orgId: ORG_ID, kind: 'visitor', secret: 'hunter2' } as never);
      return {};
    });
    await server.inject('/named');
    expect(lines).toEqual([expect.objectContaining({ tenantId: ORG_ID, caller: 'visitor' })]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('contains the caller of the authentication', async () => {
    server.get('/let-in', (request) => {
      setCaller(request, { kind: 'api_key', orgId: ORG_ID, keyId: 'k', scopes: [], repositoryIds: null });
      return {};
    });
    await server.inject('/let-in');
    expect(lines).toEqual([expect.objectContaining({ tenantId: ORG_ID, caller: 'api_key' })]);
  });
});

describe('the duration of a request', () => {
  it('measures the whole answer, and for a stream the time until its start', async () => {
    server.get('/whole', async () => {
      await sleep(30);
      return {};
    });
    server.get('/stream', async (request, reply) => {
      noteStreamBegan(request, reply);
      await sleep(300);
      return {};
    });
    await server.inject('/whole');
    await server.inject('/stream');
    const printed = await metrics.print();
    const secondsOf = (route: string): number =>
      Number(new RegExp(`_seconds_sum\\{.*route="${route}".*\\} (\\S+)`).exec(printed)?.[1]);
    expect(secondsOf('/whole')).toBeGreaterThan(0.025);
    expect(secondsOf('/stream')).toBeLessThan(0.25);
    expect(lines.map(({ route, ms }) => [route, Number(ms) > 250])).toContainEqual(['/stream', true]);
  });
});
