import { randomUUID } from 'node:crypto';
import type { Database, TenantTransaction } from '../../src/database/database.js';
import type { OrgId } from '../../src/database/ids.js';

/** The columns of a release that lists use. Times are SQL literals, so that they can be infinite. */
export interface ListedRelease {
  readonly repositoryId: string;
  readonly version: string;
  readonly stage?: string;
  readonly blocked?: boolean;
  readonly unread?: boolean;
  readonly blockers?: readonly object[];
  readonly blockerCount?: number;
  readonly openUntil?: string | null;
  readonly validUntil?: string;
  readonly evaluatedAt?: string | null;
  readonly updatedAt?: string;
  readonly dueOn?: string | null;
  readonly shippedAt?: string | null;
  readonly cancelledAt?: string | null;
  readonly deletedAt?: string | null;
}

const SINCE = '2026-01-01T00:00:00Z';

/** Writes the rows of a workspace without the service. */
export class WorkspaceRows {
  constructor(
    private readonly database: Database,
    readonly orgId: OrgId,
    /** The first GitHub id to use. */
    private created = 0,
  ) {}

  static async of(database: Database, orgId: OrgId, login: string, githubId: number): Promise<WorkspaceRows> {
    const rows = new WorkspaceRows(database, orgId);
    await rows.write(
      'insert into organization (org_id, github_id, login, installation_id, created_at) values ($1, $2, $3, $2, $4)',
      [orgId, githubId, login, SINCE],
    );
    return rows;
  }

  async repository(name: string, { isPrivate = false, githubId = this.next() } = {}): Promise<string> {
    const id = randomUUID();
    await this.write(
      `insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
       values ($1, $2, $3, $4, $5, 'main', $6, $6)`,
      [this.orgId, id, githubId, name, isPrivate, SINCE],
    );
    return id;
  }

  async release(release: ListedRelease): Promise<string> {
    const id = randomUUID();
    await this.write(
      `insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
         milestone_url, stage, blocked, unread, blockers, blocker_count, open_until, valid_until, evaluated_at,
         updated_at, shipped_at, cancelled_at, deleted_at, created_at, due_on)
       values ($1, $2, $3, $4, $5::integer, $5::integer, $4, 'https://github.com/acme/x/milestone/' || $5::integer, $6, $7, $8, $9, $10, $11, $12, $13,
         $14, $15, $16, $17, $18, $19)`,
      [
        this.orgId,
        id,
        release.repositoryId,
        release.version,
        this.next(),
        release.stage ?? 'DEPLOYMENT',
        release.blocked ?? false,
        release.unread ?? false,
        JSON.stringify(release.blockers ?? []),
        release.blockerCount ?? release.blockers?.length ?? 0,
        release.openUntil ?? null,
        release.validUntil ?? '-infinity',
        release.evaluatedAt === undefined ? SINCE : release.evaluatedAt,
        release.updatedAt ?? SINCE,
        release.shippedAt ?? null,
        release.cancelledAt ?? null,
        release.deletedAt ?? null,
        SINCE,
        release.dueOn ?? null,
      ],
    );
    return id;
  }

  /** Saves the freezes of the repository's policy. */
  async policy(repositoryId: string, freezes: readonly object[]): Promise<void> {
    await this.observe(repositoryId, 'policy', '', { status: 'valid', policy: { freezes } });
  }

  async observe(repositoryId: string, kind: string, key: string, value: unknown): Promise<void> {
    await this.write(
      `insert into observation (org_id, repository_id, kind, key, value, observed_at) values ($1, $2, $3, $4, $5, $6)
       on conflict (org_id, repository_id, kind, key) do update set value = excluded.value`,
      [this.orgId, repositoryId, kind, key, JSON.stringify(value), SINCE],
    );
  }

  async write(statement: string, parameters: readonly unknown[] = []): Promise<void> {
    await this.within((tx) => tx.query(statement, parameters));
  }

  /** Runs the work in a transaction of the workspace. */
  async within(work: (tx: TenantTransaction) => Promise<unknown>): Promise<void> {
    await this.database.inTenant(this.orgId, work);
  }

  private next(): number {
    this.created += 1;
    return this.created;
  }
}
