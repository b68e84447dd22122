import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AcmeFixture } from './acme-fixture.js';

let acme: AcmeFixture;

beforeEach(async () => {
  acme = await AcmeFixture.start();
});
afterEach(async () => {
  await acme.observed.sim.stop();
  expect(acme.observed.violations).toEqual([]);
});

describe('a caller of the API', () => {
  it.each([
    ['a token of another algorithm', () => acme.appToken({}, 'HS256')],
    ['one that lives too long', () => acme.appToken({ exp: Math.floor(Date.now() / 1000) + 700 })],
    ['one that expired', () => acme.appToken({ exp: Math.floor(Date.now() / 1000) - 1 })],
    ['one from the future', () => acme.appToken({ iat: Math.floor(Date.now() / 1000) + 120 })],
    ['one with a changed signature', () => `${acme.appToken().slice(0, -8)}AAAAAAAA`],
    ['an unknown token', () => 'ghs_unknown'],
  ])('gets 401 with %s', async (_, token) => {
    expect((await acme.request(token(), 'GET', '/app')).status).toBe(401);
  });

  it('can name the app by its id and by its client id', async () => {
    expect((await acme.request(acme.appToken(), 'GET', '/app')).body['slug']).toBe('ship-gate');
    expect((await acme.request(acme.appToken({ iss: String(acme.app.id) }), 'GET', '/app')).status).toBe(200);
    expect((await acme.request(acme.appToken(), 'GET', `/orgs/acme/installation`)).body['id']).toBe(
      acme.installation.id,
    );
    expect((await acme.request(acme.appToken(), 'GET', `/app/installations`)).status).toBe(200);
  });

  it('cannot see a private repository without access, and with a pinned token sees only its own', async () => {
    const other = acme.organization.createRepository({ name: 'other' });
    const pinned = await acme.installationToken({ repository_ids: [other.id] });
    expect((await acme.request(pinned, 'GET', '/repos/acme/other')).status).toBe(200);
    expect((await acme.request(pinned, 'GET', '/repos/acme/payments')).status).toBe(404);
    expect((await acme.request(null, 'GET', '/repos/acme/payments')).status).toBe(404);
    expect(
      (await acme.request(acme.observed.sim.createUser({ login: 'eve' }).token, 'GET', '/repos/acme/payments')).status,
    ).toBe(404);
    expect((await acme.request(pinned, 'GET', '/installation/repositories')).body['total_count']).toBe(1);
  });

  it('is rejected without the permission, and cannot widen a token', async () => {
    const reader = await acme.installationToken({ permissions: { contents: 'read', issues: 'read' } });
    expect((await acme.request(reader, 'GET', '/repos/acme/payments/milestones')).status).toBe(200);
    expect((await acme.request(reader, 'POST', '/repos/acme/payments/milestones', { title: 'v1.0.0' })).status).toBe(
      403,
    );
    expect((await acme.request(reader, 'GET', '/repos/acme/payments/deployments')).status).toBe(403);
    const wider = { permissions: { organization_secrets: 'write' } };
    const refused = await acme.request(
      acme.appToken(),
      'POST',
      `/app/installations/${acme.installation.id}/access_tokens`,
      wider,
    );
    expect(refused.status).toBe(422);
  });

  it('never gets a recreated repository for the old one', async () => {
    const pinned = await acme.installationToken({ repository_ids: [acme.repository.id] });
    acme.repository.delete();
    const successor = acme.organization.createRepository({ name: 'payments' });
    expect(successor.id).not.toBe(acme.repository.id);
    expect((await acme.request(pinned, 'GET', '/repos/acme/payments')).status).toBe(404);
  });

  it('is redirected from a former name to the repository, by its id', async () => {
    const token = await acme.installationToken();
    acme.repository.rename('billing');
    const moved = await acme.request(token, 'GET', '/repos/acme/payments/milestones?state=all');
    expect(moved.status).toBe(301);
    const location = moved.headers.get('location') ?? '';
    expect(location).toBe(`${acme.observed.sim.apiUrl}/repositories/${acme.repository.id}/milestones?state=all`);
    expect((await acme.request(token, 'GET', location)).status).toBe(200);
  });

  it('loses tokens with the installation, and is rejected while it is suspended', async () => {
    const token = await acme.installationToken();
    acme.installation.suspend();
    expect((await acme.request(token, 'GET', '/repos/acme/payments')).status).toBe(403);
    acme.installation.unsuspend();
    expect((await acme.request(token, 'GET', '/repos/acme/payments')).status).toBe(200);
    acme.installation.delete();
    expect((await acme.request(token, 'GET', '/repos/acme/payments')).status).toBe(401);
    expect(acme.events()).toEqual(expect.arrayContaining(['installation.suspend', 'installation.deleted']));
  });
});
