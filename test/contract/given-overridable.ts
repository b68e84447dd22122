import { randomUUID } from 'node:crypto';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { FactKind, FactValues } from '../../src/domain/facts/facts.js';
import type { TestDatabase } from '../support/database.js';
import { CANDIDATE, issue, milestone, policyWith, RELEASE_BRANCH, valid, VERSION } from '../support/given-facts.js';

const FACTS: readonly { [K in FactKind]: { kind: K; key: string; value: FactValues[K] } }[FactKind][] = [
  { kind: 'policy', key: '', value: valid(policyWith()) },
  { kind: 'milestone', key: '5', value: milestone() },
  { kind: 'issues', key: '5', value: [issue({ state: 'open' })] },
  { kind: 'refs', key: 'release/', value: [{ branch: RELEASE_BRANCH, sha: CANDIDATE }] },
  { kind: 'refs', key: 'hotfix/', value: [] },
  { kind: 'refs', key: 'main', value: [{ branch: 'main', sha: CANDIDATE }] },
];

/** Creates a release of `acme` that every member can read, with a candidate and an open issue. Returns its id. */
export async function givenOverridable(
  { superuserUrl }: TestDatabase,
  { name, githubId } = { name: 'governed', githubId: 4711 },
): Promise<string> {
  const [releaseId, repositoryId] = [randomUUID(), randomUUID()];
  await withDedicatedClient(superuserUrl, async (client) => {
    await client.query(
      `insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
       select org_id, $1, $2, $3, false, 'main', now(), now() from organization where login = 'acme'`,
      [repositoryId, githubId, name],
    );
    await client.query(
      `insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
         milestone_url, created_at, updated_at)
       select org_id, $1, $2, $3, 501, 5, $3, 'https://github.com/acme/governed/milestone/5', now(), now()
       from organization where login = 'acme'`,
      [releaseId, repositoryId, VERSION],
    );
    for (const { kind, key, value } of FACTS) {
      await client.query(
        `insert into observation (org_id, repository_id, kind, key, value, observed_at)
         select org_id, $1, $2, $3, $4, now() from organization where login = 'acme'`,
        [repositoryId, kind, key, JSON.stringify(value)],
      );
    }
  });
  return releaseId;
}
