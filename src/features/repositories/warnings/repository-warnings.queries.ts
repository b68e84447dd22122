import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { PolicyState } from '../../../domain/policy/policy.js';
import type { Protection, ProtectionRule, ProtectionStatus } from '../../../domain/repository/ruleset.js';
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
  /** Null if the protection rule was never enabled. */
  readonly rule: (ProtectionRule & { readonly since: Date }) | null;
  /** Null if its workflow files are unchanged or not installed. */
  readonly tampering: Tampering | null;
}

/** A state in one row. */
interface FlatState extends Omit<RepositoryState, 'policy' | 'protection' | 'rule' | 'tampering'> {
  readonly policy: PolicyState | null;
  readonly observedAt: Date | null;
  readonly protection: ProtectionStatus | null;
  readonly protectionDetail: string | null;
  readonly protectionSince: Date | null;
  readonly ruleStatus: ProtectionRule['status'] | null;
  readonly ruleEnvironment: string | null;
  readonly adminsMayBypass: boolean | null;
  readonly ruleSince: Date | null;
  readonly tamperedFiles: readonly string[] | null;
  readonly tamperedBranches: readonly string[] | null;
  readonly tamperedSince: Date | null;
  readonly issueUrl: string | null;
}

/** Reads the states of repositories for warnings, in one statement. */
@Injectable()
export class RepositoryWarningsQueries {
  /** Lists the repositories that the transaction can see, by name. */
  async list(tx: TenantTransaction): Promise<readonly RepositoryState[]> {
    const rows = await tx.query<FlatState>(
      `select r.id, r.name, r.created_at as "createdAt", r.managed_at is not null as managed, p.value as policy,
         p.observed_at as "observedAt", o.installation_id is not null as installed, o.suspended_at as "suspendedAt",
         case when o.granted_permissions is not null then o.reads_actions end as "readsActions",
         b.status as protection, b.detail as "protectionDetail", b.changed_at as "protectionSince",
         e.status as "ruleStatus", e.environment as "ruleEnvironment", e.admins_may_bypass as "adminsMayBypass",
         e.changed_at as "ruleSince", t."tamperedFiles", t."tamperedBranches", t."tamperedSince", i.url as "issueUrl"
       from repository r
       join organization o on o.org_id = r.org_id
       left join observation p on p.repository_id = r.id and p.kind = 'policy' and p.key = ''
       left join repository_protection b on b.repository_id = r.id
       left join protection_rule e on e.repository_id = r.id
       left join lateral (
         select array_agg(distinct f.path order by f.path) as "tamperedFiles",
           array_agg(distinct f.branch order by f.branch) as "tamperedBranches", min(f.since) as "tamperedSince"
         from tampered_file f where f.repository_id = r.id) t on true
       left join lateral (
         select issue.url from tampering_issue issue
         where issue.repository_id = r.id and issue.url is not null order by issue.path limit 1) i on true
       where r.removed_at is null
       order by r.lower_name, r.id`,
    );
    return rows.map(toState);
  }
}

const toTampering = ({
  tamperedFiles: files,
  tamperedBranches: branches,
  tamperedSince: since,
  issueUrl,
}: FlatState): Tampering | null => files && branches && since && { files, branches, since, issueUrl };

const toRule = ({
  ruleStatus: status,
  ruleEnvironment: environment,
  adminsMayBypass,
  ruleSince: since,
}: FlatState): RepositoryState['rule'] =>
  status === null || environment === null || since === null ? null : { status, environment, adminsMayBypass, since };

const toState = (row: FlatState): RepositoryState => ({
  id: row.id,
  name: row.name,
  createdAt: row.createdAt,
  managed: row.managed,
  policy: row.policy && row.observedAt && { state: row.policy, observedAt: row.observedAt },
  installed: row.installed,
  suspendedAt: row.suspendedAt,
  readsActions: row.readsActions,
  protection: row.protection &&
    row.protectionSince && {
      status: row.protection,
      detail: row.protectionDetail,
      since: row.protectionSince,
    },
  rule: toRule(row),
  tampering: toTampering(row),
});
