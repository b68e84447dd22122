import { Injectable } from '@nestjs/common';
import type { ApiKeyRecord } from '../../../auth/credentials.queries.js';
import { Database, type TenantTransaction, type Viewer } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { StatementBatcher } from '../../../database/statement-batcher.js';
import type { Stage } from '../../../domain/facts/condition.js';

/** The stored gate of a release. */
export interface StoredGate {
  readonly releaseId: string;
  readonly stage: Stage;
  readonly testsPassing: boolean;
  readonly evidenceApproved: boolean;
  readonly candidateSha: string | null;
  readonly candidateShas: readonly string[];
  readonly openUntil: Date | number | null;
  readonly validUntil: Date | number;
  /** The code of the first condition that keeps the gate closed, without those that time alone changes; null if there is none. */
  readonly reason: string | null;
  /** Only if a digest was requested. */
  readonly ofDigest?: DigestGate;
}

/** What a gate says about the requested digest. */
interface DigestGate {
  /** The version of the release to which the digest leads. */
  readonly version: string;
  /** Whether the policy accepted the digest in the last verdict. */
  readonly accepted: boolean;
}

export interface GateRecord {
  readonly repository: { readonly id: string; readonly githubId: number } | null;
  readonly gate: StoredGate | null;
}

const NOTHING_FOUND: GateRecord = { repository: null, gate: null };

/** A gate with its repository, in one row. The members of the gate are null without a release. */
interface GateRow extends Omit<StoredGate, 'releaseId' | 'ofDigest'>, Partial<DigestGate> {
  readonly ownerMatches: boolean;
  readonly repositoryId: string | null;
  readonly repositoryGithubId: string | null;
  readonly releaseId: string | null;
}

/** SQL for the columns of a found gate. */
const GATE = `owner_matches as "ownerMatches", repository_id as "repositoryId", repository_github_id as "repositoryGithubId",
  release_id as "releaseId", stage, tests_passing as "testsPassing", evidence_approved as "evidenceApproved",
  candidate_sha as "candidateSha", candidate_shas as "candidateShas", open_until as "openUntil", valid_until as "validUntil",
  reason`;

/** SQL for the further columns of a gate that was found by a digest. */
const OF_DIGEST = 'version, accepted';
/** SQL for the columns of `GATE` of the repository `p` and its release `r`. */
const READ_GATE = `true as owner_matches, p.id as repository_id, p.github_id as repository_github_id,
  r.id as release_id, r.stage, r.tests_passing, r.evidence_approved, r.candidate_sha, r.candidate_shas,
  r.open_until, r.valid_until, case when r.open_until is null then r.blockers -> 0 ->> 'code' end as reason`;

/**
 * Identifies a release by its repository's name, with or without the owner, and its exact version, or a digest of one of its artifacts, or
 * both.
 */
export type GateTarget = { readonly owner: string | null; readonly repository: string } & (
  | { readonly version: string; readonly digest: string | null }
  | { readonly version: null; readonly digest: string }
);

type CredentialGateInput = GateTarget & {
  /** The hash of an API key, or the GitHub id of the owner of a run's repository. */
  readonly credential: Buffer | number;
};

/** A function of the database that sets the tenant of a credential and reads the gate. */
interface GateFunction {
  readonly name: string;
  readonly credentialType: string;
  /** SQL for the columns of the credential. */
  readonly columns: string;
  /** Whether a fifth argument names a digest. */
  readonly isOfDigest?: boolean;
}

const BY_KEY: GateFunction = {
  name: 'find_gate_by_key',
  credentialType: 'bytea',
  columns: `org_id as "orgId", key_id as "keyId", scopes, repository_ids as "repositoryIds", expires_at as "expiresAt",
    revoked_at as "revokedAt", last_used_at as "lastUsedAt"`,
};

const BY_OWNER: GateFunction = {
  name: 'find_gate_by_owner',
  credentialType: 'bigint',
  columns: `org_id as "orgId"`,
};

/** The same for a digest, which a fifth argument names. */
const OF_DIGEST_BY_KEY: GateFunction = { ...BY_KEY, name: 'find_gate_of_digest_by_key', isOfDigest: true };
const OF_DIGEST_BY_OWNER: GateFunction = { ...BY_OWNER, name: 'find_gate_of_digest_by_owner', isOfDigest: true };

/**
 * Reads the gate on the hot path: the credential, its tenant and the stored verdict in one prepared statement for all waiting
 * requests. Each request has its own call in the statement, which sets the tenant of its own credential first.
 */
@Injectable()
export class GateQueries {
  readonly #byKey = new StatementBatcher((inputs: readonly CredentialGateInput[]) =>
    this.#readAll<ApiKeyRecord>(BY_KEY, inputs),
  );
  readonly #byOwner = new StatementBatcher((inputs: readonly CredentialGateInput[]) =>
    this.#readAll<{ readonly orgId: OrgId }>(BY_OWNER, inputs),
  );
  readonly #ofDigestByKey = new StatementBatcher((inputs: readonly CredentialGateInput[]) =>
    this.#readAll<ApiKeyRecord>(OF_DIGEST_BY_KEY, inputs),
  );
  readonly #ofDigestByOwner = new StatementBatcher((inputs: readonly CredentialGateInput[]) =>
    this.#readAll<{ readonly orgId: OrgId }>(OF_DIGEST_BY_OWNER, inputs),
  );

  constructor(private readonly database: Database) {}

  async findByKey(hash: Buffer, input: GateTarget): Promise<{ key: ApiKeyRecord; found: GateRecord } | null> {
    const batcher = input.digest === null ? this.#byKey : this.#ofDigestByKey;
    const found = await batcher.submit({ ...input, credential: hash });
    if (!found) return null;
    const { orgId, keyId, scopes, repositoryIds, expiresAt, revokedAt, lastUsedAt } = found;
    const key = { orgId, keyId, scopes, repositoryIds, expiresAt, revokedAt, lastUsedAt };
    return { key, found: toGateRecord(found) };
  }

  async findByOwner(ownerGithubId: number, input: GateTarget): Promise<{ orgId: OrgId; found: GateRecord } | null> {
    const batcher = input.digest === null ? this.#byOwner : this.#ofDigestByOwner;
    const found = await batcher.submit({ ...input, credential: ownerGithubId });
    return found && { orgId: found.orgId, found: toGateRecord(found) };
  }

  /** Reads the gate for a user, in the workspace that the user views. */
  async findForViewer(viewer: Viewer, { owner, repository, version, digest }: GateTarget): Promise<GateRecord> {
    // All repositories with this name count, also those that the user cannot read, because one of two may have been renamed by
    // now.
    const [named] = await this.database.inTenant(viewer.orgId, (tx) =>
      tx.queryPrepared<{ readonly id: string }>(
        'name_gate_repository',
        `select (array_agg(p.id))[1] as id
         from repository p join organization o on o.org_id = p.org_id
         where p.lower_name = lower($2) and p.removed_at is null and ($1::text is null or lower(o.login) = lower($1))
         having count(*) = 1`,
        [owner, repository],
      ),
    );
    if (!named) return NOTHING_FOUND;
    if (digest !== null) return this.findOfDigestForViewer(viewer, named.id, { version, digest });
    const [row] = await this.database.asViewer(viewer, (tx) =>
      tx.queryPrepared<GateRow>(
        'read_gate_as_viewer',
        `select ${GATE} from (
           select ${READ_GATE}
           from repository p
           left join release r on r.repository_id = p.id and r.version = $2 and r.deleted_at is null
           where p.id = $1 and p.removed_at is null) found`,
        [named.id, version],
      ),
    );
    return row ? toGateRecord(row) : NOTHING_FOUND;
  }

  private async findOfDigestForViewer(
    viewer: Viewer,
    repositoryId: string,
    { version, digest }: { readonly version: string | null; readonly digest: string },
  ): Promise<GateRecord> {
    const [row] = await this.database.asViewer(viewer, (tx) =>
      tx.queryPrepared<GateRow>(
        'read_gate_of_digest_as_viewer',
        `select ${GATE}, ${OF_DIGEST} from (
           select ${READ_GATE}, r.version, $3 = any(r.accepted_digests) as accepted
           from repository p
           left join release r on r.id = find_release_of_digest(p.org_id, p.id, $2, $3)
           where p.id = $1 and p.removed_at is null) found`,
        [repositoryId, version, digest],
      ),
    );
    return row ? toGateRecord(row) : NOTHING_FOUND;
  }

  /** Reads the gate of a release by its id, with what the transaction may see. */
  async findById(tx: TenantTransaction, releaseId: string, digest: string | null): Promise<GateRecord> {
    const [row] = await tx.queryPrepared<GateRow>(
      'read_gate_by_id',
      `select ${GATE}, ${OF_DIGEST} from (
         select ${READ_GATE}, r.version, $2 = any(r.accepted_digests) as accepted
         from release r join repository p on p.id = r.repository_id
         where r.id = $1 and r.deleted_at is null and p.removed_at is null) found`,
      [releaseId, digest],
    );
    return row ? toGateRecord(row) : NOTHING_FOUND;
  }

  /** Returns the gate of each input, in the same order; null if no workspace belongs to the credential. */
  async #readAll<Credential extends object>(
    { name, credentialType, columns: ofCredential, isOfDigest = false }: GateFunction,
    inputs: readonly CredentialGateInput[],
  ): Promise<((GateRow & Credential) | null)[]> {
    const [only] = inputs;
    const columns = isOfDigest ? `${ofCredential}, ${OF_DIGEST}` : ofCredential;
    // Without a digest the statements have no argument for it.
    const [parameter, type, argument] = isOfDigest ? [', $5', ', $5::text[]', ', digest'] : ['', '', ''];
    if (only && inputs.length === 1) {
      // Without arrays, which take a tenth of the database time of a single request.
      const [row] = await this.database.queryWithoutTenant<GateRow & Credential>(
        name,
        `select ${columns}, ${GATE} from ${name}($1, $2, $3, $4${parameter})`,
        [only.credential, only.owner, only.repository, only.version, ...(isOfDigest ? [only.digest] : [])],
      );
      return [row ?? null];
    }
    const rows = await this.database.queryWithoutTenant<GateRow & Credential & { readonly position: string }>(
      `${name}_of_each`,
      `select position, ${columns}, ${GATE}
       from unnest($1::${credentialType}[], $2::text[], $3::text[], $4::text[]${type}) with ordinality
         as input (credential, owner, repository, wanted${argument}, position),
       ${name}(credential, owner, repository, wanted${argument})`,
      [
        inputs.map(({ credential }) => credential),
        inputs.map(({ owner }) => owner),
        inputs.map(({ repository }) => repository),
        inputs.map(({ version }) => version),
        ...(isOfDigest ? [inputs.map(({ digest }) => digest)] : []),
      ],
    );
    const found: ((GateRow & Credential) | null)[] = inputs.map(() => null);
    for (const row of rows) found[Number(row.position) - 1] = row;
    return found;
  }
}

function toGateRecord(row: GateRow): GateRecord {
  const { ownerMatches, repositoryId, repositoryGithubId, releaseId } = row;
  if (!ownerMatches || repositoryId === null) return NOTHING_FOUND;
  const repository = { id: repositoryId, githubId: Number(repositoryGithubId) };
  if (releaseId === null) return { repository, gate: null };
  // Named one by one, because the row of a key has more members.
  const { stage, testsPassing, evidenceApproved, candidateSha, candidateShas, openUntil, validUntil, reason } = row;
  const verdict = { stage, testsPassing, evidenceApproved, candidateSha, candidateShas, openUntil, validUntil, reason };
  const { version, accepted } = row;
  const ofDigest = version === undefined ? {} : { ofDigest: { version, accepted: accepted === true } };
  return { repository, gate: { releaseId, ...verdict, ...ofDigest } };
}
