import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyAudit } from '../../src/cli/commands/audit-command.js';
import { sha256 } from '../../src/crypto/digests.js';
import type { OrgId } from '../../src/database/ids.js';
import { canonicalJson, type JsonObject } from '../../src/domain/audit/canonical-json.js';
import { signIn, type UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

interface Link {
  readonly sequence: number;
  readonly previousHash: string;
  readonly hash: string;
}
type VisibleEntry = Link & { readonly id: string; readonly subject: string; readonly data: JsonObject };
type Entry = VisibleEntry | (Link & { readonly hidden: true });

const ZEROS = '0'.repeat(64);

let env: TestEnvironment;
let orgId: OrgId;
let open: string;
let vault: string;
/** Admins: one can read `vault`, the other cannot. */
let reader: UserSession;
let outsider: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
  const secret = new RepositoryScenario(env, { name: 'vault', private: true });
  const publicRepo = new RepositoryScenario(env, { name: 'open', private: false });
  for (const scenario of [secret, publicRepo]) scenario.milestone('v1.0.0');
  orgId = await env.install();
  await env.waitUntilIdle();
  [open, vault] = (await Promise.all(['open', 'vault'].map(idOf))) as [string, string];
  reader = await signIn(env, env.github.createUser({ login: 'rhea' }), { role: 'admin' });
  outsider = await signIn(env, env.github.createUser({ login: 'otto' }), { role: 'admin' });
  await env.database.inTenant(orgId, (tx) =>
    tx.query(
      `insert into repository_access (org_id, person, repository_github_id)
       select org_id, $1, github_id from repository where name = 'vault'`,
      [reader.user.id],
    ),
  );
});
afterAll(() => env.stop());

const idOf = async (name: string): Promise<string> => {
  const [row] = await env.asSuperuser<{ id: string }>(`select id from repository where name = '${name}'`);
  return row!.id;
};
const milestoneOf = async (repositoryId: string): Promise<string> => {
  const [row] = await env.asSuperuser<{ id: string }>(`select id from release where repository_id = '${repositoryId}'`);
  return row!.id;
};
const logOf = async (user: UserSession, query = ''): Promise<{ workspace: string; entries: readonly Entry[] }> =>
  (await user.get(`/api/audit${query}`)).body as unknown as { workspace: string; entries: readonly Entry[] };
const makeKey = (user: UserSession, name: string, repos?: readonly string[]) =>
  user.send('POST', '/api/settings/api-keys', { name, scopes: ['gate:read'], ...(repos && { repos }) });

/** Checks the chain as the guide for auditors describes. Returns the faults. */
const faultsIn = ({ workspace, entries }: { workspace: string; entries: readonly Entry[] }): readonly string[] => {
  let before = { sequence: 0, hash: ZEROS };
  const faults: string[] = [];
  for (const entry of entries.toReversed()) {
    const { hash, ...content } = entry;
    if (entry.sequence !== before.sequence + 1 || entry.previousHash !== before.hash)
      faults.push(`link ${entry.sequence}`);
    const isHidden = 'hidden' in entry;
    if (!isHidden && sha256(canonicalJson({ ...content, orgId: workspace })) !== hash) {
      faults.push(`content ${entry.sequence}`);
    }
    before = entry;
  }
  return faults;
};

describe('the audit log of a workspace with a private repository', () => {
  it('shows an admin without access to the repository that an entry exists, and none of its content', async () => {
    await makeKey(reader, 'for both', ['open', 'vault']);
    await makeKey(reader, 'for open', ['open']);
    for (const id of [vault, open]) {
      const release = await milestoneOf(id);
      expect((await reader.send('POST', `/api/milestones/${release}/start`)).status).toBeLessThan(300);
    }
    const [all, some] = [await logOf(reader), await logOf(outsider)];
    const subjects = (entries: readonly Entry[]) => entries.map((entry) => ('hidden' in entry ? null : entry.subject));
    expect(subjects(all.entries).slice(0, 4)).toEqual(['v1.0.0', 'v1.0.0', 'for open', 'for both']);
    expect(subjects(some.entries).slice(0, 4)).toEqual(['v1.0.0', null, 'for open', null]);
    const hidden = some.entries.filter((entry) => 'hidden' in entry);
    for (const entry of hidden) {
      expect(Object.keys(entry).toSorted()).toEqual(['hash', 'hidden', 'previousHash', 'sequence']);
    }
    expect(JSON.stringify(some)).not.toMatch(new RegExp(`vault|for both|${vault}`));
  });

  it('lets both admins verify its chain with the visible content and the hashes of the rest', async () => {
    const [all, some] = [await logOf(reader), await logOf(outsider)];
    expect([faultsIn(all), faultsIn(some)]).toEqual([[], []]);
    expect(some.entries.map(({ hash }) => hash)).toEqual(all.entries.map(({ hash }) => hash));
    const changed = some.entries.map((entry) => ('hidden' in entry ? entry : { ...entry, subject: 'another' }));
    expect(faultsIn({ ...some, entries: changed })).not.toEqual([]);
  });

  it('shows no id of a hidden entry, so its hash cannot confirm a guess', async () => {
    const ids = (await logOf(reader)).entries.map((entry) => ('hidden' in entry ? '' : entry.id));
    const visible = (await logOf(outsider)).entries.map((entry) => ('hidden' in entry ? null : entry.id));
    const hidden = ids.filter((id) => !visible.includes(id));
    expect(hidden.length).toBeGreaterThan(1);
    for (const id of hidden)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('is the same in pages', async () => {
    const whole = (await logOf(outsider)).entries;
    const page = await outsider.get('/api/audit?page=1&pageSize=10');
    expect(page.body['entries']).toEqual(whole.slice(0, 10));
    expect(page.body['pagination']).toMatchObject({ total: whole.length });
  });

  it('leaves hidden entries out of filtered lists and files, so that no filter confirms a guess', async () => {
    for (const query of ['search=for+both', `search=${vault}`, 'action=release.started&search=v1.0']) {
      const [all, some] = [await logOf(reader, `?${query}`), await logOf(outsider, `?${query}&page=1`)];
      expect([query, all.entries.length > some.entries.length]).toEqual([query, true]);
      expect(some).toMatchObject({ pagination: { total: some.entries.length } });
      expect(JSON.stringify(some)).not.toMatch(/hidden|for both/);
    }
    const csv = async (user: UserSession, query = ''): Promise<string> =>
      (await fetch(`${env.baseUrl}/api/audit/export?format=csv${query}`, { headers: { cookie: user.cookie } })).text();
    expect(await csv(reader)).toContain('for both');
    const [whole, filtered] = [await csv(outsider), await csv(outsider, '&action=api_key.created')];
    expect([whole, filtered].join()).not.toMatch(new RegExp(`vault|for both|${vault}`));
    const { entries } = await logOf(outsider);
    expect(whole.trim().split('\r\n')).toHaveLength(entries.length + 1);
    for (const { hash } of entries) expect(whole).toContain(hash);
    expect((await outsider.get('/api/audit/head')).body).toMatchObject({ hash: entries[0]?.hash });
  });

  it('continues after an entry that is hidden from the user who adds the next', async () => {
    await makeKey(reader, 'last of vault', ['vault']);
    expect((await makeKey(outsider, 'next')).status).toBe(201);
    const { entries } = await logOf(outsider);
    expect(entries.slice(0, 2)).toEqual([
      expect.objectContaining({ subject: 'next' }),
      expect.objectContaining({ hidden: true }),
    ]);
    const lines: string[] = [];
    expect(await verifyAudit(env.database, [], (line) => lines.push(line))).toBe(true);
    expect(lines).toEqual([expect.stringContaining(`${entries.length} entries`)]);
  });

  it('shows hidden entries as soon as the repository is public', async () => {
    await env.asSuperuser(`update repository set private = false where id = '${vault}'`);
    expect((await logOf(outsider)).entries.filter((entry) => 'hidden' in entry)).toEqual([]);
    await env.asSuperuser(`update repository set private = true where id = '${vault}'`);
  });
});
