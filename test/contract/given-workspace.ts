import { randomBytes, randomUUID } from 'node:crypto';
import { hashSecret } from '../../src/crypto/digests.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { KeyScope } from '../../src/domain/keys/key-scope.js';
import { keySecret, SECRET_BYTES, visiblePrefix } from '../../src/domain/keys/key-secret.js';
import type { TestDatabase } from '../support/database.js';

export interface GivenWorkspace {
  /** Secrets of API keys. */
  readonly keys: {
    readonly both: string;
    readonly gateOnly: string;
    readonly evidenceOnly: string;
    readonly deploys: string;
  };
}

/** The workspace of the organization in the tokens of the simulated issuer, with `acme/payments` and its `v1.4.0`. */
export async function givenWorkspace({ superuserUrl }: TestDatabase): Promise<GivenWorkspace> {
  const [orgId, repositoryId] = [randomUUID(), randomUUID()];
  const secret = (): string => keySecret('sgk', randomBytes(SECRET_BYTES));
  const keys = { both: secret(), gateOnly: secret(), evidenceOnly: secret(), deploys: secret() };
  await withDedicatedClient(superuserUrl, async (client) => {
    await client.query(
      `insert into organization (org_id, github_id, login, created_at) values ($1, 3001, 'acme', now())`,
      [orgId],
    );
    await client.query(
      `insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
       values ($1, $2, 4001, 'payments', true, 'main', now(), now())`,
      [orgId, repositoryId],
    );
    await client.query(
      `insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
         milestone_url, created_at, updated_at)
       values ($1, $2, $3, 'v1.4.0', 6001, 1, 'v1.4.0', 'https://github.com/acme/payments/milestone/1', now(), now())`,
      [orgId, randomUUID(), repositoryId],
    );
    const scopesOf: Readonly<Record<keyof typeof keys, readonly KeyScope[]>> = {
      both: ['evidence:write', 'gate:read'],
      gateOnly: ['gate:read'],
      evidenceOnly: ['evidence:write'],
      deploys: ['deployment:write'],
    };
    for (const [name, scopes] of Object.entries(scopesOf) as [keyof typeof keys, readonly KeyScope[]][]) {
      await client.query(
        `insert into api_key (org_id, id, name, prefix, secret_hash, scopes, created_by, created_at)
         values ($1, $2, $3, $4, $5, $6, 'ada', now())`,
        [orgId, randomUUID(), name, visiblePrefix(keys[name]), hashSecret(keys[name]), scopes],
      );
    }
  });
  return { keys };
}
