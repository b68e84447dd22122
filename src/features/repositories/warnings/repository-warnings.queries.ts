import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { PolicyState } from '../../../domain/policy/policy.js';
import type { Protection, ProtectionStatus } from '../../../domain/repository/ruleset.js';
import type { Tampering } from '../../../domain/repository/tampering.js';

/** The stored state of a repository that warnings depend on. */
export interface RepositoryState {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly managed: boolean;
  /** Null if it was never read. */
  readonly policy: { readonly state: PolicyState; readonly observedAt: Date } | null;
  readonly installed: boolean;
  readonly suspendedAt: Date | null;
  /** Whether the installation may read Actions; null if it is not known yet. */
  readonly readsActions: boolean | null;
  /** Null if the branch protection was never requested. */
  readonly protection: (Protection & { readonly since: Date }) | null;
  /** Null if its workflow files are unchanged or not installed. */
  readonly tampering: Tampering | null;
}

interface StateRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly managed: boolean;
  readonly policy: PolicyState | null;
  readonly observed_at: Date | null;
  readonly installed: boolean;
  readonly suspended_at: Date | null;
  readonly reads_actions: boolean | null;
  readonly protection: ProtectionStatus | null;
  readonly protection_detail: string | null;
  readonly protection_since: Date | null;
  readonly tampered_files: readonly string[] | null;
  readonly tampered_branches: readonly string[] | null;
  readonly tampered_since: Date | null;
  readonly issue_url: string | null;
}

/** Reads the states of repositories for warnings, in one statement. */
@Injectable()
export class RepositoryWarningsQueries {
  /** Lists the repositories that the transaction can see, by name. */
  async list(tx: TenantTransaction): Promise<readonly RepositoryState[]> {
    const rows = await tx.query<StateRow>(
      `select r.id, r.name, r.created_at, r.managed_at is not null as managed, p.value as policy, p.observed_at,
         o.installation_id is not null as installed, o.suspended_at,
         case when o.granted_permissions is not null then o.reads_actions end as reads_actions,
         b.status as protection, b.detail as protection_detail, b.changed_at as protection_since,
         t.tampered_files, t.tampered_branches, t.tampered_since, i.issue_url
       from repository r
       join organization o on o.org_id = r.org_id
       left join observation p on p.repository_id = r.id and p.kind = 'policy' and p.key = ''
       left join repository_protection b on b.repository_id = r.id
       left join lateral (
         select array_agg(distinct f.path order by f.path) as tampered_files,
           array_agg(distinct f.branch order by f.branch) as tampered_branches, min(f.since) as tampered_since
         from tampered_file f where f.repository_id = r.id) t on true
       left join lateral (
         select told.url as issue_url from tampering_issue told
         where told.repository_id = r.id and told.url is not null order by told.path limit 1) i on true
       where r.removed_at is null
       order by r.lower_name, r.id`,
    );
    return rows.map(toState);
  }
}

const tamperingOf = ({
  tampered_files: files,
  tampered_branches: branches,
  tampered_since: since,
  issue_url: issueUrl,
}: StateRow): Tampering | null => files && branches && since && { files, branches, since, issueUrl };

const toState = (row: StateRow): RepositoryState => ({
  id: row.id,
  name: row.name,
  createdAt: row.created_at,
  managed: row.managed,
  policy: row.policy && row.observed_at && { state: row.policy, observedAt: row.observed_at },
  installed: row.installed,
  suspendedAt: row.suspended_at,
  readsActions: row.reads_actions,
  protection: row.protection &&
    row.protection_since && {
      status: row.protection,
      detail: row.protection_detail,
      since: row.protection_since,
    },
  tampering: tamperingOf(row),
});
