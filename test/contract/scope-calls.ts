import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { givenCollaborator, whileReached } from './given-collaborator.js';
import { type GivenGitHub, PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';

const OPERATION = 'changeScope';
const CHOICES = ['listScopeCandidates', 'listAssignees'] as const;
const DEEP = `${'['.repeat(70)}${']'.repeat(70)}`;
const LINK = { action: 'link', number: 1 };

/** Provokes every documented response about the scope of a release. */
export async function callScope(
  call: CallOperation,
  of: BuiltService,
  { database, host }: { readonly database: TestDatabase; readonly host: GivenGitHub },
): Promise<void> {
  const spec = { login: 'scoped', name: 'ledger', userLogin: 'tria', role: 'triage' } as const;
  const given = await givenCollaborator({ database, host }, spec);
  const { headers, repository } = given;
  const milestone = repository.milestones.create({ title: 'v1.0.0' });
  const issue = repository.issues.create({ title: 'A' });
  const path = { id: randomUUID() };
  const change = (request: Call): Promise<number> => call(OPERATION, { of, headers, path, body: LINK, ...request });
  expect(await change({ body: { action: 'link' } })).toBe(400);
  expect(await change({ headers: {} })).toBe(401);
  expect(await change({ headers: { ...headers, cookie: await givenSession(database, null) } })).toBe(403);
  expect(await change({})).toBe(404);
  expect(await change({ body: DEEP })).toBe(413);
  expect(await change({ headers: { ...headers, 'content-type': 'application/xml' }, body: '<a/>' })).toBe(415);
  const choose = async (request: Call = {}): Promise<number> => {
    const statuses = new Set<number>();
    for (const operation of CHOICES) statuses.add(await call(operation, { of, headers, path, ...request }));
    expect(statuses.size).toBe(1);
    return [...statuses][0] ?? 0;
  };
  expect(await choose({ query: { search: '' } })).toBe(400);
  expect(await choose({ headers: {} })).toBe(401);
  expect(await choose({ headers: { ...headers, cookie: await givenSession(database, null) } })).toBe(403);
  expect(await choose()).toBe(404);
  await whileReached(database, given, path.id, async (set) => {
    await set(`insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
        milestone_url, created_at, updated_at)
      select org_id, '${path.id}', '${path.id}', 'v1.0.0', ${milestone.id}, ${milestone.number}, 'v1.0.0',
        'https://github.com/scoped/ledger/milestone/1', now(), now() from organization where github_id = 3001`);
    expect(await choose()).toBe(200);
    expect(await choose({ query: { search: 'a' } })).toBe(200);
    const body = { ...LINK, number: issue.number };
    expect(await change({ body })).toBe(200);
    expect(await change({ body: { ...body, action: 'assign', assignee: 'ghost' } })).toBe(422);
    await set(`update release set shipped_at = now() where id = '${path.id}'`);
    expect(await change({ body })).toBe(409);
    expect(await choose()).toBe(409);
  });
}

export async function callScopeWithoutDatabase(call: CallOperation, of: BuiltService, cookie: string): Promise<void> {
  const headers = { cookie, origin: PUBLIC_URL };
  const path = { id: randomUUID() };
  expect(await call(OPERATION, { of, headers, path, body: LINK })).toBe(503);
  for (const operation of CHOICES) expect(await call(operation, { of, headers, path })).toBe(503);
}
