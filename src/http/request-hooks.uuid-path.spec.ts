import { beforeAll, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import { requireUuidInReleasePaths } from './request-hooks.js';

const ID = '6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b';

let app: FastifyInstance;

beforeAll(async () => {
  app = fastify();
  requireUuidInReleasePaths(app);
  for (const path of [':id', ':id/waivers', ':id/waivers/:waiverId', ':owner/:repo', 'check']) {
    app.get(`/api/milestones/${path}`, (request, reply) => reply.send({ path, params: request.params }));
  }
  app.get('/api/other/:id', (request, reply) => reply.send({ params: request.params }));
  await app.ready();
});

const get = async (path: string): Promise<unknown> => {
  const answer = await app.inject(path);
  return answer.statusCode === 200 ? answer.json() : answer.statusCode;
};

describe('a path with an id', () => {
  it.each([
    [`/api/milestones/${ID}`, { path: ':id', params: { id: ID } }],
    [`/api/milestones/${ID.toUpperCase()}`, { path: ':id', params: { id: ID.toUpperCase() } }],
    ['/api/milestones/check', { path: 'check', params: {} }],
    ['/api/milestones/acme', 404],
    [`/api/milestones/${ID}0`, 404],
    [`/api/milestones/${ID}/waivers`, { path: ':id/waivers', params: { id: ID } }],
    [`/api/milestones/${ID}/waivers/x`, { path: ':id/waivers/:waiverId', params: { id: ID, waiverId: 'x' } }],
    ['/api/milestones/acme/waivers', { path: ':owner/:repo', params: { owner: 'acme', repo: 'waivers' } }],
    ['/api/milestones/acme/check', { path: ':owner/:repo', params: { owner: 'acme', repo: 'check' } }],
    [`/api/milestones/acme/${ID}`, { path: ':owner/:repo', params: { owner: 'acme', repo: ID } }],
    ['/api/milestones/acme/waivers/x', 404],
    ['/api/other/acme', { params: { id: 'acme' } }],
  ])('answers %s with %j', async (path, answer) => {
    expect(await get(path)).toEqual(answer);
  });
});
