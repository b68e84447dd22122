import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import type { DayRange } from '../../domain/history/deployment.js';
import type { AppliedOverride } from '../../domain/override/override.js';
import type { Condition } from '../../domain/release/stage.js';
import { pageOffset, type PageRequest } from '../../http/pagination/pagination.dto.js';

/** An override that a deployment rested on, and whose it was. */
interface RecordedOverride {
  readonly kind: 'waiver' | 'break_glass';
  readonly id: string;
  readonly reason: string;
  /** Logins, as of that moment. */
  readonly requestedBy: string;
  readonly confirmedBy: string;
  readonly expiresAt: Date;
  readonly conditions: readonly Condition[];
}

/** A deployment to the target of a repository, as the history tells of it. */
export interface HistoryItem {
  readonly id: string;
  /** Null where it was no release's. */
  readonly milestoneId: string | null;
  readonly org: string;
  /** Without its organization. */
  readonly repo: string;
  readonly version: string | null;
  readonly kind: 'release' | 'hotfix' | 'rollback' | 'ungoverned';
  readonly candidateSha: string;
  readonly environment: string;
  readonly deployedAt: Date;
  /** A login, as of that moment. */
  readonly deployedBy: string | null;
  readonly approvers: readonly string[];
  readonly decisionId: string | null;
  readonly score: number | null;
  readonly leadTimeSeconds: number | null;
  readonly overrides: readonly RecordedOverride[];
  /** What whoever recorded it by hand had to say. */
  readonly note: string | null;
}

/** A repository of which the history tells. */
export interface RecordedRepository {
  readonly id: string;
  /** As `owner/name`. */
  readonly name: string;
}

/** Of which repositories and days records are asked for. */
export interface RecordFilter extends DayRange {
  readonly repositoryIds: readonly string[];
}

/** Ids of records, the latest deployment first, and how many there are: all of one moment. */
export interface FoundRecords {
  readonly ids: readonly string[];
  readonly total: number;
}

type StoredOverride = Omit<AppliedOverride, 'expiresAt'> & { readonly expiresAt: string };

interface RecordRow {
  readonly id: string;
  readonly release_id: string | null;
  readonly org: string;
  readonly repo: string;
  readonly version: string | null;
  readonly kind: HistoryItem['kind'];
  readonly commit_sha: string;
  readonly environment: string;
  readonly deployed_at: Date;
  readonly deployed_by: string | null;
  readonly approvers: readonly string[];
  readonly decision_id: string | null;
  readonly score: string | null;
  readonly lead_time_seconds: string | null;
  readonly overrides: readonly StoredOverride[];
  readonly note: string | null;
}

/** The repositories that have records, and how many. */
const RECORDED = `
  select repository_id, sum(recorded) as total from repository_tally group by repository_id having sum(recorded) > 0`;

// An open end is an infinite day.
const ON_DAYS = `deployed_at >= $3::date::timestamp at time zone 'UTC'
  and deployed_at < ($4::date + 1)::timestamp at time zone 'UTC'`;
const daysOf = ({ from, to }: DayRange): readonly string[] => [from ?? '-infinity', to ?? 'infinity'];

/** The records of the history, of those that whoever opened the transaction may see. */
@Injectable()
export class HistoryQueries {
  /** Every repository that has a record, by its name. */
  async listRepositories(tx: TenantTransaction): Promise<readonly RecordedRepository[]> {
    return tx.queryPrepared<RecordedRepository>(
      'list_recorded_repositories',
      `select r.id, o.login || '/' || r.name as name
       from (${RECORDED}) recorded
       join repository r on r.id = recorded.repository_id
       join organization o on o.org_id = r.org_id
       order by r.lower_name, r.id`,
      [],
    );
  }

  /**
   * Those of any repository, every id without a page; and, whatever the days, the names of all that have a record, in their
   * order. The page is asked for by sub-selects, so that the statement is planned once and not for each page.
   */
  async findOfAny(
    tx: TenantTransaction,
    days: DayRange,
    page: PageRequest | null,
  ): Promise<FoundRecords & { readonly repositories: readonly string[] }> {
    const anyDay = days.from === null && days.to === null;
    const [row] = await tx.queryPrepared<{
      readonly ids: readonly string[];
      readonly total: string;
      readonly repositories: readonly string[];
    }>(
      `find_history_of_any${anyDay ? '' : '_on_days'}`,
      `select counted.*, array(
         select id from history_record ${anyDay ? '' : `where ${ON_DAYS}`}
         order by deployed_at desc, id limit (select $1::bigint) offset (select $2::bigint)) as ids
       from (
         select ${anyDay ? 'coalesce(sum(recorded.total), 0)' : `(select count(*) from history_record where ${ON_DAYS})`} as total,
           coalesce(json_agg(o.login || '/' || r.name order by r.lower_name, r.id), '[]') as repositories
         from (${RECORDED}) as recorded
         join repository r on r.id = recorded.repository_id
         join organization o on o.org_id = r.org_id) as counted`,
      [page?.pageSize ?? null, page ? pageOffset(page) : 0, ...(anyDay ? [] : daysOf(days))],
    );
    if (!row) throw new TypeError('A count has a row.');
    return { ids: row.ids, total: Number(row.total), repositories: row.repositories };
  }

  /** Those of some repositories, every id without a page. */
  async find(
    tx: TenantTransaction,
    { repositoryIds, ...days }: RecordFilter,
    page: PageRequest | null,
  ): Promise<FoundRecords> {
    const of = repositoriesPart(repositoryIds);
    const matches = `${ON_DAYS} ${of.condition}`;
    const [row] = await tx.queryPrepared<{ readonly ids: readonly string[]; readonly total: string }>(
      `find_history_${of.name}`,
      `select array(
         select id from history_record where ${matches}
         order by deployed_at desc, id limit $1::bigint offset $2::bigint) as ids,
         (select count(*) from history_record where ${matches}) as total`,
      [page?.pageSize ?? null, page ? pageOffset(page) : 0, ...daysOf(days), of.param],
    );
    return { ids: row?.ids ?? [], total: Number(row?.total ?? 0) };
  }

  /** Those of the records that there are, in the order of the ids. */
  async list(tx: TenantTransaction, ids: readonly string[]): Promise<readonly HistoryItem[]> {
    if (ids.length === 0) return [];
    const rows = await tx.queryPrepared<RecordRow>(
      'list_history',
      `select h.id, h.release_id, o.login as org, r.name as repo, h.version, h.kind, h.commit_sha, h.environment,
         h.deployed_at, h.deployed_by, h.approvers, h.decision_id, h.score, h.lead_time_seconds, h.overrides, h.note
       from unnest($1::uuid[]) with ordinality as wanted (id, at)
       join history_record h on h.id = wanted.id
       join repository r on r.id = h.repository_id
       join organization o on o.org_id = h.org_id
       order by wanted.at`,
      [ids],
    );
    return rows.map(itemOf);
  }
}

/** One repository is asked for by itself, so that its records come in their order from the index. */
function repositoriesPart(ids: readonly string[]): {
  readonly name: string;
  readonly condition: string;
  readonly param: unknown;
} {
  const [only] = ids;
  return ids.length === 1
    ? { name: 'of_one', condition: 'and repository_id = $5::uuid', param: only }
    : { name: 'of_some', condition: 'and repository_id = any($5::uuid[])', param: ids };
}

const itemOf = (row: RecordRow): HistoryItem => ({
  id: row.id,
  milestoneId: row.release_id,
  org: row.org,
  repo: row.repo,
  version: row.version,
  kind: row.kind,
  candidateSha: row.commit_sha,
  environment: row.environment,
  deployedAt: row.deployed_at,
  deployedBy: row.deployed_by,
  approvers: row.approvers,
  decisionId: row.decision_id,
  score: row.score === null ? null : Number(row.score),
  leadTimeSeconds: row.lead_time_seconds === null ? null : Number(row.lead_time_seconds),
  overrides: row.overrides.map(overrideOf),
  note: row.note,
});

const overrideOf = (stored: StoredOverride): RecordedOverride => ({
  kind: stored.kind,
  id: stored.id,
  reason: stored.reason,
  requestedBy: stored.requestedBy.login,
  confirmedBy: stored.confirmedBy.login,
  expiresAt: new Date(stored.expiresAt),
  conditions: stored.conditions.map(({ code, detail, actor, url }) => ({
    code,
    detail,
    actor,
    ...(url !== undefined && { url }),
  })),
});
