import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CiAuth, Public } from '../../src/auth/access.decorators.js';
import { listRoutes } from '../support/route-list.js';
import { AccessProbe } from './ci-auth/access-probe.js';

let probe: AccessProbe;

beforeAll(async () => {
  probe = await AccessProbe.start();
});
afterAll(() => probe.stop());

describe('the list of routes', () => {
  it('contains the access rule of each route, and finds the route without one', () => {
    const routes = listRoutes(probe.app).filter(({ path }) => path.startsWith('/probe'));
    expect(routes.map(({ method, path, rule }) => [method, path, rule?.kind ?? null])).toEqual([
      ['GET', '/probe/gate', 'ci'],
      ['GET', '/probe/gate-in-hand', 'ci'],
      ['GET', '/probe/member', 'session'],
      ['GET', '/probe/public', 'public'],
      ['POST', '/probe/undeclared', null],
      ['POST', '/probe/upload', 'ci'],
    ]);
  });

  it('contains the routes of the app itself', () => {
    expect(listRoutes(probe.app)).toContainEqual({
      method: 'GET',
      path: '/api/health',
      handler: 'HealthController.checkHealth',
      rule: { kind: 'public' },
    });
  });

  it('names only routes that the server has', () => {
    const server = probe.app.getHttpAdapter().getInstance();
    const named = listRoutes(probe.app);
    expect(named.length).toBeGreaterThan(6);
    for (const { method, path } of named) expect([path, server.hasRoute({ method, url: path })]).toEqual([path, true]);
  });

  it('reports a second rule on one route as an error', () => {
    expect(() => {
      class Twice {
        @Public()
        @CiAuth('gate:read')
        route(): void {}
      }
      return Twice;
    }).toThrow('Twice.route declares its access twice.');
  });
});
