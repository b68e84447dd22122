import { Injectable } from '@nestjs/common';
import type { ApiKeyRecord } from '../../../auth/credentials.queries.js';
import { Database, type Viewer } from '../../../database/database.js';
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
}

export interface GateRecord {
  readonly repository: { readonly id: string; readonly githubId: number } | null;
  readonly gate: StoredGate | null;
}

const NOTHING_FOUND: GateRecord = { repository: null, gate: null };

interface GateRow {
  readonly org_id: OrgId;
  readonly owner_matches: boolean;
  readonly repository_id: string | null;
  readonly repository_github_id: string | null;
  readonly release_id: string | null;
  readonly stage: Stage;
  readonly tests_passing: boolean;
  readonly evidence_approved: boolean;
  readonly candidate_sha: string | null;
  readonly candidate_shas: readonly string[];
  readonly open_until: Date | number | null;
  readonly valid_until: Date | number;
}

interface KeyRow extends GateRow {
  readonly key_id: string;
  readonly scopes: ApiKeyRecord['scopes'];
  readonly repository_ids: readonly string[] | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
}

const GATE = `owner_matches, repository_id, repository_github_id, release_id, stage, tests_passing, evidence_approved,
  candidate_sha, candidate_shas, open_until, valid_until`;

/** Identifies a release by its repository's name, with or without the owner, and its exact version. */
export interface GateInput {
  readonly owner: string | null;
  readonly repository: string;
  readonly version: string;
}

interface KeyGateInput extends GateInput {
  readonly hash: Buffer;
}

/**
 * Reads the gate on the hot path: the credential, its tenant and the stored verdict in one prepared statement for all waiting
 * requests. Each request has its own call in the statement, which sets the tenant of its own key first.
 */
@Injectable()
export class GateQueries {
  readonly #byKey = new StatementBatcher((inputs: readonly KeyGateInput[]) => this.#readAllByKey(inputs));

  constructor(private readonly database: Database) {}

  async findByKey(hash: Buffer, input: GateInput): Promise<{ key: ApiKeyRecord; found: GateRecord } | null> {
    const row = await this.#byKey.submit({ hash, ...input });
    if (!row) return null;
    return {
      key: {
        orgId: row.org_id,
        keyId: row.key_id,
        scopes: row.scopes,
        repositoryIds: row.repository_ids,
        expiresAt: row.expires_at,
        revokedAt: row.revoked_at,
        lastUsedAt: row.last_used_at,
      },
      found: toGateRecord(row),
    };
  }

  async findByOwner(ownerGithubId: number, input: GateInput): Promise<{ orgId: OrgId; found: GateRecord } | null> {
    const [row] = await this.database.queryWithoutTenant<GateRow>(
      'read_gate_by_owner',
      `select org_id, ${GATE} from read_gate_by_owner($1, $2, $3, $4)`,
      [ownerGithubId, input.owner, input.repository, input.version],
    );
    return row ? { orgId: row.org_id, found: toGateRecord(row) } : null;
  }

  /** Does the same for a user, in the workspace that they view. */
  async findForViewer(viewer: Viewer, { owner, repository, version }: GateInput): Promise<GateRecord> {
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
    const [row] = await this.database.asViewer(viewer, (tx) =>
      tx.queryPrepared<GateRow>(
        'read_gate_as_viewer',
        `select true as owner_matches, p.id as repository_id, p.github_id as repository_github_id,
           r.id as release_id, r.stage, r.tests_passing, r.evidence_approved, r.candidate_sha, r.candidate_shas,
           r.open_until, r.valid_until
         from repository p
         left join release r on r.repository_id = p.id and r.version = $2 and r.deleted_at is null
         where p.id = $1 and p.removed_at is null`,
        [named.id, version],
      ),
    );
    return row ? toGateRecord(row) : NOTHING_FOUND;
  }

  async #readAllByKey(inputs: readonly KeyGateInput[]): Promise<(KeyRow | null)[]> {
    const rows = await this.database.queryWithoutTenant<KeyRow & { readonly question: string }>(
      'read_gates_by_key',
      `select question, org_id, key_id, scopes, repository_ids, expires_at, revoked_at, last_used_at, ${GATE}
       from unnest($1::bytea[], $2::text[], $3::text[], $4::text[]) with ordinality
         as asked (hash, owner, repository, version, question),
       read_gate_by_key(hash, owner, repository, version)`,
      [
        inputs.map(({ hash }) => hash),
        inputs.map(({ owner }) => owner),
        inputs.map(({ repository }) => repository),
        inputs.map(({ version }) => version),
      ],
    );
    const answers: (KeyRow | null)[] = inputs.map(() => null);
    for (const row of rows) answers[Number(row.question) - 1] = row;
    return answers;
  }
}

function toGateRecord(row: GateRow): GateRecord {
  if (!row.owner_matches || row.repository_id === null) return NOTHING_FOUND;
  const repository = { id: row.repository_id, githubId: Number(row.repository_github_id) };
  if (row.release_id === null) return { repository, gate: null };
  return {
    repository,
    gate: {
      releaseId: row.release_id,
      stage: row.stage,
      testsPassing: row.tests_passing,
      evidenceApproved: row.evidence_approved,
      candidateSha: row.candidate_sha,
      candidateShas: row.candidate_shas,
      openUntil: row.open_until,
      validUntil: row.valid_until,
    },
  };
}
