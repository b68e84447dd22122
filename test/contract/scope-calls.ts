import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { Sealer } from '../../src/custody/sealer.js';
import { withClient } from '../../src/database/session.js';
import type { User } from '../github-sim/state/user.js';
import type { TestDatabase } from '../support/database.js';
import { type BuiltService, ENCRYPTION_KEY } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { type GivenGitHub, PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';

const OPERATION = 'scopeChange';
const DEEP = `${'['.repeat(70)}${']'.repeat(70)}`;
const LINK = { action: 'link', number: 1 };

/** A repository on the host with an issue that has no milestone, and somebody who may triage it. */
function givenScope({ github, variables }: GivenGitHub) {
  const app = github.world.apps.findByIssuer(variables['GITHUB_APP_ID'] ?? '');
  if (!app) throw new Error('the host has no app');
  const organization = github.createOrganization({ login: 'scoped' });
  const repository = github.createRepository(organization, { name: 'ledger', files: { 'README.md': 'A ledger.' } });
  const [milestone, issue] = [
    repository.milestones.create({ title: 'v1.0.0' }),
    repository.issues.create({ title: 'A' }),
  ];
  const user = github.createUser({ login: 'tria' });
  repository.setCollaborator(user, 'triage');
  const { id: installationId } = github.installApp(app, organization);
  return { repository, milestone, issue, user, installationId, token: github.world.tokens.issueForUser(user, app) };
}

/** As a sign-in through GitHub leaves it. */
async function keepToken({ superuserUrl }: TestDatabase, { id, login }: User, token: string): Promise<void> {
  const sealed = new Sealer({ encryptionKeys: [ENCRYPTION_KEY] }).seal(token, `person:${id}:access`);
  await withClient(superuserUrl, (client) =>
    client.query(`select remember_person($1, $2, null, $3, $4, null, null, null, now())`, [
      id,
      login,
      `https://avatars.githubusercontent.com/u/${id}`,
      sealed,
    ]),
  );
}

/** Every answer about the scope of a release. */
export async function callScope(
  call: CallOperation,
  of: BuiltService,
  { database, host }: { readonly database: TestDatabase; readonly host: GivenGitHub },
): Promise<void> {
  const { repository, milestone, issue, user, installationId, token } = givenScope(host);
  const headers = { cookie: await givenSession(database, 'member', user.id), origin: PUBLIC_URL };
  const [tria, path] = [{ of, headers }, { id: randomUUID() }];
  const change = (request: Call): Promise<number> => call(OPERATION, { ...tria, path, body: LINK, ...request });
  await keepToken(database, user, token);
  expect(await change({ body: { action: 'link' } })).toBe(400);
  expect(await change({ headers: {} })).toBe(401);
  expect(await change({ headers: { ...headers, cookie: await givenSession(database, null) } })).toBe(403);
  expect(await change({})).toBe(404);
  expect(await change({ body: DEEP })).toBe(413);
  expect(await change({ headers: { ...headers, 'content-type': 'application/xml' }, body: '<a/>' })).toBe(415);
  await withClient(database.superuserUrl, async (client) => {
    const set = (statement: string): Promise<unknown> => client.query(statement);
    await set(`update organization set installation_id = ${installationId}, login = 'scoped' where github_id = 3001;
      insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
        select org_id, '${path.id}', ${repository.id}, 'ledger', false, 'main', now(), now()
        from organization where github_id = 3001;
      insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
          milestone_url, created_at, updated_at)
        select org_id, '${path.id}', '${path.id}', 'v1.0.0', ${milestone.id}, ${milestone.number}, 'v1.0.0',
          'https://github.com/scoped/ledger/milestone/1', now(), now() from organization where github_id = 3001`);
    const body = { ...LINK, number: issue.number };
    expect(await change({ body })).toBe(200);
    expect(await change({ body: { ...body, action: 'assign', assignee: 'ghost' } })).toBe(422);
    await set(`update release set shipped_at = now() where id = '${path.id}'`);
    expect(await change({ body })).toBe(409);
    await set(`update organization set installation_id = null, login = 'acme' where github_id = 3001;
      update release set deleted_at = now() where id = '${path.id}';
      update repository set removed_at = now() where id = '${path.id}'`);
  });
}

/** While the database cannot be reached. */
export async function callScopeWithoutDatabase(call: CallOperation, of: BuiltService, cookie: string): Promise<void> {
  const headers = { cookie, origin: PUBLIC_URL };
  expect(await call(OPERATION, { of, headers, path: { id: randomUUID() }, body: LINK })).toBe(503);
}
