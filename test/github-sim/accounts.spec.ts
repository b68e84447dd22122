import { createHash } from 'node:crypto';
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

describe('users and their accounts', () => {
  it('sends events of members, teams and renames', async () => {
    const team = acme.organization.createTeam('Ops', [acme.reviewer]);
    team.rename('Operations');
    team.removeMember(acme.reviewer);
    team.delete();
    acme.repository.setCollaborator(acme.author, 'admin');
    acme.repository.removeCollaborator(acme.author);
    acme.repository.changeVisibility('public');
    acme.repository.archive();
    acme.organization.removeMember(acme.author);
    acme.organization.rename('acme-inc');
    acme.installation.removeRepositories([acme.repository]);
    acme.organization.delete();
    expect(acme.events()).toEqual(
      expect.arrayContaining(
        [
          'team.created',
          'team.edited',
          'team.deleted',
          'membership.added',
          'membership.removed',
          'member.edited',
        ].concat(
          ['member.removed', 'organization.member_removed', 'organization.renamed', 'installation_target.renamed'],
          ['repository.publicized', 'repository.archived', 'repository.deleted', 'organization.deleted'],
        ),
      ),
    );
  });

  it('gives a recreated login another account: its commits, tokens and memberships are not the old ones', async () => {
    const token = acme.author.token;
    const sha = acme.repository.commit({ files: { x: 'x' }, author: acme.author });
    acme.author.delete();
    const successor = acme.observed.sim.createUser({ login: 'ada' });
    expect(successor.id).not.toBe(acme.author.id);
    expect((await acme.request(token, 'GET', '/user')).status).toBe(401);
    const commit = await acme.request(await acme.installationToken(), 'GET', `/repos/acme/payments/commits/${sha}`);
    expect(commit.body).toMatchObject({ author: null, commit: { author: { name: 'ada' } } });
    expect(acme.repository.roleOf(successor)).toBe('none');
  });

  it('signs a user in through the web flow, with PKCE, once for each code', async () => {
    const own = acme.observed.sim.registerApp({
      name: 'Own',
      owner: acme.organization,
      callbackUrls: ['http://127.0.0.1:9/callback'],
    });
    const verifier = 'v'.repeat(43);
    const query = new URLSearchParams({
      client_id: own.clientId,
      redirect_uri: 'http://127.0.0.1:9/callback',
      state: 's',
      login: 'rob',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const authorize = async () => {
      const response = await fetch(`${acme.observed.sim.url}/login/oauth/authorize?${query.toString()}`, {
        redirect: 'manual',
      });
      const target = new URL(response.headers.get('location') ?? '');
      expect(target.searchParams.get('state')).toBe('s');
      return target.searchParams.get('code') ?? '';
    };
    const exchange = async (fields: Record<string, string>) => {
      const credentials = { client_id: own.clientId, client_secret: own.clientSecret };
      return (
        await acme.request(
          null,
          'POST',
          '/login/oauth/access_token',
          { ...credentials, ...fields },
          { accept: 'application/json' },
        )
      ).body;
    };
    expect(await exchange({ code: await authorize(), code_verifier: 'wrong' })).toMatchObject({
      error: 'bad_verification_code',
    });
    const code = await authorize();
    const granted = await exchange({ code, code_verifier: verifier });
    expect(await exchange({ code, code_verifier: verifier })).toMatchObject({ error: 'bad_verification_code' });
    expect((await acme.request(String(granted['access_token']), 'GET', '/user')).body).toMatchObject({
      login: 'rob',
      id: acme.reviewer.id,
    });
    expect((await acme.request(String(granted['access_token']), 'GET', '/user/memberships/orgs')).body).toMatchObject([
      { role: 'member' },
    ]);
    const renewed = await exchange({ grant_type: 'refresh_token', refresh_token: String(granted['refresh_token']) });
    expect((await acme.request(String(granted['access_token']), 'GET', '/user')).status).toBe(401);
    expect((await acme.request(String(renewed['access_token']), 'GET', '/user/orgs')).status).toBe(200);
  });

  it('creates an app from a manifest, once for each code', async () => {
    const manifest = {
      name: 'Made',
      url: 'http://127.0.0.1:9',
      redirect_url: 'http://127.0.0.1:9/made',
      hook_attributes: { url: 'http://127.0.0.1:9/h' },
      default_permissions: { contents: 'write' },
      default_events: ['push'],
    };
    const submitted = await fetch(`${acme.observed.sim.url}/organizations/acme/settings/apps/new?state=xyz`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ manifest: JSON.stringify(manifest) }),
    });
    const target = new URL(submitted.headers.get('location') ?? '');
    expect(target.searchParams.get('state')).toBe('xyz');
    const path = `/app-manifests/${target.searchParams.get('code') ?? ''}/conversions`;
    const created = await acme.request(null, 'POST', path);
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ slug: 'made', events: ['push'], permissions: { contents: 'write' } });
    expect(String(created.body['pem'])).toContain('BEGIN RSA PRIVATE KEY');
    expect((await acme.request(null, 'POST', path)).status).toBe(404);
  });
});
