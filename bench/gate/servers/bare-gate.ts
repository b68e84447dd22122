import { createHash } from 'node:crypto';
import { Pool } from 'pg';

interface GateRow {
  readonly version: string;
  readonly stage: string;
  readonly tests_passing: boolean;
  readonly evidence_approved: boolean;
  readonly open_until: Date | null;
}

/**
 * The least work that can answer a gate request: one prepared join from the key to the release, as a superuser without row-level
 * security. It checks nothing, so a service cannot work like this.
 */
export class BareGate {
  readonly #pool: Pool;

  constructor(superuserUrl: string, connections: number) {
    this.#pool = new Pool({ connectionString: superuserUrl, max: connections });
  }

  /** `authorization` is `Bearer <key>`, `repo` is `owner/name`. */
  async answer(authorization: string, version: string, repo: string): Promise<object | null> {
    const hash = createHash('sha256').update(authorization.slice('Bearer '.length)).digest();
    return this.#read('gate', 'api_key k', 'k.secret_hash = $1 and k.revoked_at is null', [hash, version, repo]);
  }

  /** Answers a run of the organization with this GitHub id. The caller has verified its token. */
  async answerRun(ownerGithubId: number, version: string, repo: string): Promise<object | null> {
    return this.#read('gate_of_run', 'organization k', 'k.github_id = $1', [ownerGithubId, version, repo]);
  }

  async #read(
    name: string,
    credential: string,
    condition: string,
    [value, version, repo]: readonly [Buffer | number, string, string],
  ): Promise<object | null> {
    const { rows } = await this.#pool.query<GateRow>({
      name,
      text: `select l.version, l.stage, l.tests_passing, l.evidence_approved, l.open_until
             from ${credential}
             join repository r on r.org_id = k.org_id and r.lower_name = lower($2) and r.removed_at is null
             join release l on l.org_id = r.org_id and l.repository_id = r.id and l.version = $3 and l.deleted_at is null
             where ${condition}`,
      values: [value, repo.slice(repo.indexOf('/') + 1), version],
    });
    const row = rows[0];
    if (!row) return null;
    return {
      version: row.version,
      current_stage: row.stage,
      evidence_pr_approved: row.evidence_approved,
      tests_passing: row.tests_passing,
      can_deploy: row.open_until !== null && row.open_until > new Date(),
    };
  }
}
