import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import { distinctJobs } from '../../../domain/quality/completeness.js';
import {
  FACT_LIFETIME_MS,
  factId,
  type FactKey,
  type FactKind,
  isOfJobs,
  type Observation,
} from '../../../domain/facts/facts.js';
import type { Policy } from '../../../domain/policy/policy.js';
import { concerns, type FactHint, FactHintsRepository, type FactNumber } from './fact-hints.repository.js';

/** An observation with the number of its read. */
export type NumberedObservation<K extends FactKind = FactKind> = Observation<K> & { readonly readNumber: FactNumber };

/** The result of saving observations. */
export interface RecordedFacts {
  /** The facts whose value has changed. */
  readonly changed: readonly FactKey[];
  /** The facts that may have changed during the read. The values count as stale. */
  readonly refused: readonly FactKey[];
}

/** The result of saving one fact. */
interface SavedFact extends FactKey {
  readonly changed: boolean;
  readonly refused: boolean;
}

/** The two members are null for the kinds of facts that do not have them. */
type ObservationRow = Omit<Observation, 'knownSince' | 'moments'> & {
  readonly knownSince: Date | null;
  readonly moments: NonNullable<Observation['moments']> | null;
};

const toObservation = ({ knownSince, moments, ...observation }: ObservationRow): Observation => ({
  ...observation,
  ...(knownSince !== null && { knownSince: knownSince.getTime() }),
  ...(moments !== null && { moments }),
});

/** Returns until when the read answers for the fact, for the kinds whose knowledge must have no gap. Null for the others. */
const toKnownUntil = ({ kind, observedAt }: Observation): Date | null =>
  kind === 'deployments' ? new Date(observedAt.getTime() + FACT_LIFETIME_MS[kind]) : null;

const NOTHING: RecordedFacts = { changed: [], refused: [] };

const toKeys = (rows: readonly FactKey[]): readonly FactKey[] => rows.map(({ kind, key }) => ({ kind, key }));

/** Stores the latest observation of each fact of a repository. */
@Injectable()
export class ObservationsRepository {
  constructor(private readonly hints: FactHintsRepository) {}

  /** Lists the stored observations of the given facts. */
  async list(tx: TenantTransaction, repositoryId: string, keys: readonly FactKey[]): Promise<readonly Observation[]> {
    if (keys.length === 0) return [];
    const rows = await tx.queryPrepared<ObservationRow>(
      'list_observations_with_moments',
      `select o.kind, o.key, o.value, o.observed_at as "observedAt", o.known_since as "knownSince", o.moments
       from unnest($2::text[], $3::text[]) as wanted (kind, key)
       join observation o on o.repository_id = $1 and o.kind = wanted.kind and o.key = wanted.key`,
      [repositoryId, keys.map(({ kind }) => kind), keys.map(({ key }) => key)],
    );
    return rows.map(toObservation);
  }

  /**
   * Saves each observation unless a later read is stored already. An observation that began before a hint at its fact counts as
   * stale at once. The names of jobs are stored permanently.
   */
  async save(
    tx: TenantTransaction,
    repositoryId: string,
    observations: readonly NumberedObservation[],
  ): Promise<RecordedFacts> {
    if (observations.length === 0) return NOTHING;
    await this.saveJobNames(tx, repositoryId, observations.filter(isOfJobs));
    // All writers use the same order, to prevent deadlocks.
    const ordered = [...observations].sort((a, b) => (factId(a) < factId(b) ? -1 : 1));
    const seen = [
      repositoryId,
      ordered.map(({ kind }) => kind),
      ordered.map(({ key }) => key),
      ordered.map(({ value }) => JSON.stringify(value)),
      ordered.map(({ observedAt }) => observedAt),
      ordered.map(({ readNumber }) => readNumber),
      ordered.map(toKnownUntil),
      ordered.map(({ moments }) => (moments === undefined ? null : JSON.stringify(moments))),
    ];
    await this.hints.holdBack(tx, repositoryId);
    // A separate statement takes the locks before the comparison, so that the comparison sees the writes of the previous lock
    // holder. For facts that are not stored yet two writers may both report a change.
    await tx.queryPrepared(
      'lock_observations',
      `select 1 from observation where repository_id = $1
         and (kind, key) in (select * from unnest($2::text[], $3::text[]))
       order by kind collate "C", key collate "C" for update`,
      seen.slice(0, 3),
    );
    const rows = await tx.queryPrepared<SavedFact>(
      'save_observations_with_moments',
      `with read as (
         select * from unnest($2::text[], $3::text[], $4::jsonb[], $5::timestamptz[], $6::bigint[], $7::timestamptz[],
             $8::jsonb[])
           as read (kind, key, value, observed_at, read_number, known_until, moments)),
       seen as materialized (
         select read.*, exists (
           select from fact_hint h where h.number > read.read_number
             and (h.repository_id = $1 or h.repository_id is null) and ${concerns('h', 'read')}) as refused
         from read),
       kept as (
         insert into observation as known (org_id, repository_id, kind, key, value, observed_at, read_number,
           known_since, known_until, moments)
         select $9, $1, seen.kind, seen.key, seen.value, case when seen.refused then 'epoch' else seen.observed_at end,
           seen.read_number, case when seen.known_until is not null then seen.observed_at end, seen.known_until, seen.moments
         from seen
         on conflict (org_id, repository_id, kind, key) do update
         set value = excluded.value, observed_at = excluded.observed_at, read_number = excluded.read_number,
           known_since = case
             when excluded.known_until is null or known.known_until > excluded.known_since is not true then excluded.known_since
             -- One that did not succeed before all listed ones cannot have left the list of the newest ones. It was deleted, so it is not known
             -- any more what it replaced.
             when exists (
               select from jsonb_array_elements(known.value) as gone
               where gone #>> '{periods,-1,from}' >= (
                   select min(listed #>> '{periods,0,from}') from jsonb_array_elements(excluded.value) as listed)
                 and not excluded.value @> jsonb_build_array(jsonb_build_object('githubId', gone -> 'githubId',
                   'periods', jsonb_build_array(jsonb_build_object('from', gone #> '{periods,-1,from}')))))
             then excluded.known_since
             else known.known_since end,
           known_until = excluded.known_until,
           -- The clocks are compared at each read. The widest range of a moment counts.
           moments = (select jsonb_object_agg(seen.time, jsonb_build_array(
               least((seen.range ->> 0)::float8, (known.moments -> seen.time ->> 0)::float8),
               greatest((seen.range ->> 1)::float8, (known.moments -> seen.time ->> 1)::float8)))
             from jsonb_each(excluded.moments) as seen (time, range))
         where known.read_number < excluded.read_number
         returning known.kind, known.key, known.value)
       select kept.kind, kept.key, before.value is distinct from kept.value as changed, seen.refused
       from kept
       join seen on seen.kind = kept.kind and seen.key = kept.key
       left join observation before
         on before.repository_id = $1 and before.kind = kept.kind and before.key = kept.key`,
      [...seen, tx.orgId],
    );
    return {
      changed: toKeys(rows.filter((row) => row.changed)),
      refused: toKeys(rows.filter((row) => row.refused)),
    };
  }

  /**
   * Stores the names of jobs, because the evidence of a run is distinguished by job even after GitHub has deleted the run. The
   * name of a job never changes. In an incomplete list another job may have the same name, so it is not used.
   */
  private async saveJobNames(
    tx: TenantTransaction,
    repositoryId: string,
    observations: readonly Observation<'run_jobs'>[],
  ): Promise<void> {
    const jobs = observations.flatMap(({ value }) => (value.complete ? distinctJobs(value) : []));
    if (jobs.length === 0) return;
    await tx.queryPrepared(
      'save_job_names',
      `insert into workflow_job (org_id, repository_id, id, name)
       select $1, $2, job.id, job.name from unnest($3::bigint[], $4::text[]) as job (id, name) order by job.id
       on conflict do nothing`,
      [tx.orgId, repositoryId, jobs.map(({ id }) => id), jobs.map(({ name }) => name)],
    );
  }

  /**
   * Marks the stored facts that the hints concern as stale if they were read before the number. A read that began before it
   * cannot replace them. Returns these facts.
   */
  async expire(
    tx: TenantTransaction,
    repositoryId: string,
    hints: readonly FactHint[],
    before: FactNumber,
  ): Promise<readonly FactKey[]> {
    return tx.query<FactKey>(
      `update observation o set observed_at = 'epoch', read_number = $4 where repository_id = $1 and read_number < $4
         and exists (select from unnest($2::text[], $3::text[]) as h (kind, key) where ${concerns('h', 'o')})
       returning kind, key`,
      [repositoryId, hints.map(({ kind }) => kind), hints.map(({ key }) => key), before],
    );
  }

  /** Returns the policy that was observed last, regardless of its age; null if there is none or it is not valid. */
  async find(tx: TenantTransaction, repositoryId: string): Promise<Policy | null> {
    const [observation] = await this.list(tx, repositoryId, [{ kind: 'policy', key: '' }]);
    const state = (observation as Observation<'policy'> | undefined)?.value;
    return state?.status === 'valid' ? state.policy : null;
  }
}
