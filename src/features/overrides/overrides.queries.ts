import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import { type Page, pageOffset, type PageRequest } from '../../http/pagination/pagination.dto.js';
import type { ListedOverrideDto, OverrideState } from './overrides.dto.js';

/** The columns that waivers and break-glass requests share. */
const REQUEST = `id, release_id, reason, requested_at, requested_by, requested_by_login, confirmed_by, confirmed_by_login, expires_at`;

/** The subjects as the API shows them. */
const SUBJECTS = `(select jsonb_agg(jsonb_build_object('id', s -> 'id', 'label', s -> 'label', 'count', coalesce(s -> 'count', '1')) order by n)
  from jsonb_array_elements(subjects) with ordinality as of_waiver (s, n))`;

/** `isActive` in SQL, or that the request can still be confirmed. The database ensures that two users are involved. */
const MATCHES = `withdrawn_at is null and expires_at > $1 and (confirmed_at is null or confirmed_at <= $1)
  and ($2::text is null or (confirmed_at is null) = ($2 = 'waiting'))`;

/** Reads the overrides of all releases, for lists. */
@Injectable()
export class OverridesQueries {
  /**
   * Lists a page of the overrides that have an effect now or would have one after a confirmation, first those that end first.
   * Leaves out overrides of releases that are shipped or cancelled or have another candidate, by their last evaluation. A null
   * state means all states.
   */
  async listPage(
    tx: TenantTransaction,
    state: OverrideState | null,
    page: PageRequest,
    now: Date,
  ): Promise<Page<ListedOverrideDto>> {
    const rows = await tx.queryPrepared<{ readonly total: string } & (ListedOverrideDto | { readonly id: null })>(
      'list_overrides_with_subject_ids',
      `with stored as (
         select 'waiver' as kind, ${REQUEST}, condition, ${SUBJECTS} as subjects, details, candidate_sha as sha from waiver where ${MATCHES}
         union all
         select 'break_glass', ${REQUEST}, null, null, null, commit_sha from break_glass_request where ${MATCHES}
       ), listed as (
         select s.kind, s.id, s.release_id as "milestoneId", o.login as org, p.id as "repoId", p.name as repo, r.version,
           s.condition, s.subjects, s.details, s.sha, s.reason, s.requested_at as "requestedAt", s.requested_by_login as "requestedBy",
           s.requested_by::float8 as "requestedById", s.confirmed_by_login as "confirmedBy",
           s.confirmed_by::float8 as "confirmedById", s.expires_at as "expiresAt"
         from stored s
         join release r on r.id = s.release_id and s.sha = any(r.candidate_shas)
           and r.shipped_at is null and r.cancelled_at is null and r.deleted_at is null
         join repository p on p.id = r.repository_id
         join organization o on o.org_id = r.org_id
       )
       select counted.total, of_page.* from (select count(*) as total from listed) counted
       left join (select * from listed order by "expiresAt", id limit $3::bigint offset $4::bigint) of_page on true
       order by of_page."expiresAt", of_page.id`,
      [now, state, page.pageSize, pageOffset(page)],
    );
    const items: ListedOverrideDto[] = [];
    let total = 0;
    for (const { total: counted, ...override } of rows) {
      total = Number(counted);
      // An empty page is one row with the total alone.
      if (override.id !== null) items.push(override);
    }
    return { items, total };
  }
}
