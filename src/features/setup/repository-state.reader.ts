import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { PolicyState } from '../../domain/policy/policy.js';
import type { ProtectionStatus } from '../../domain/repository/protection.js';
import type { RepositoryState } from './repository-state.js';

interface StateRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly managed: boolean;
  readonly policy: PolicyState | null;
  readonly observed_at: Date | null;
  readonly installed: boolean;
  readonly suspended_at: Date | null;
  readonly protection: ProtectionStatus | null;
  readonly protection_detail: string | null;
  readonly protection_since: Date | null;
}

/** Reads what warnings about repositories rest on, all of them in one statement. */
@Injectable()
export class RepositoryStateReader {
  /** By name, as far as whoever opened the transaction may see them. */
  async list(tx: TenantTx): Promise<readonly RepositoryState[]> {
    const rows = await tx.query<StateRow>(
      `select r.id, r.name, r.created_at, r.managed_at is not null as managed, p.value as policy, p.observed_at,
         o.installation_id is not null as installed, o.suspended_at,
         b.status as protection, b.detail as protection_detail, b.changed_at as protection_since
       from repository r
       join organization o on o.org_id = r.org_id
       left join observation p on p.repository_id = r.id and p.kind = 'policy' and p.key = ''
       left join repository_protection b on b.repository_id = r.id
       where r.removed_at is null
       order by r.lower_name, r.id`,
    );
    return rows.map(stateOf);
  }
}

const stateOf = (row: StateRow): RepositoryState => ({
  id: row.id,
  name: row.name,
  createdAt: row.created_at,
  managed: row.managed,
  policy: row.policy && row.observed_at && { state: row.policy, observedAt: row.observed_at },
  installed: row.installed,
  suspendedAt: row.suspended_at,
  protection: row.protection &&
    row.protection_since && {
      status: row.protection,
      detail: row.protection_detail,
      since: row.protection_since,
    },
});
