import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import { LONGEST_DEPLOYMENT_MS } from '../../../domain/history/reported-deployment.js';
import { type Page, type PageRequest, pageOffset } from '../../../http/pagination/pagination.dto.js';
import type { LocatedRunningArtifactDto, RunningArtifactDto, RunningFilter } from './running.dto.js';

/** SQL for whether a reported deployment `d` and a deployment `g` of GitHub are the same one. */
const SAME_DEPLOYMENT = `g.repository_id = d.repository_id and g.sha = d.commit_sha and lower(g.environment) = lower(d.environment)
  and (g.github_id::text = d.reported_id or exists (
    select from deployment_report r where r.deployment_id = d.id and r.run_id = g.run_id))`;

/**
 * The artifacts that may run, by repository: those of a shipped release, in every environment, and those of a deployment that is open and
 * whose gate was open when it began, in its environment. A deployment that GitHub and a report name is governed only if both sides are.
 */
const APPROVED = `
  select l.repository_id, null as environment, v.name, v.digest
  from release l cross join lateral jsonb_to_recordset(l.shipped -> 'artifacts') as v (name text, digest text)
  where l.shipped_at is not null and l.repository_id in (select repository_id from stated)
  union all
  select d.repository_id, lower(d.environment), v.name, v.digest
  from deployment_report s
  join reported_deployment d on d.id = s.deployment_id
  join decision c on c.id = s.decision_id
  left join observation p on p.repository_id = d.repository_id and p.kind = 'policy' and p.key = ''
  cross join lateral jsonb_to_recordset(c.verdict -> 'artifacts') as v (name text, digest text)
  where s.status = 'started' and s.can_deploy and s.received_at > $1 and s.repository_id in (select repository_id from stated)
    -- The target may have changed since the start.
    and (s.at_target or lower(d.environment) is distinct from lower(p.value #>> '{policy,deployment,target}'))
    and not exists (select from deployment_report e where e.deployment_id = d.id and e.status <> 'started')
    and not (s.at_target and exists (select from deployment g where ${SAME_DEPLOYMENT}
      and (g.open_decision_id is null or g.state in ('failure', 'inactive'))))
  union all
  select g.repository_id, lower(g.environment), v.name, v.digest
  from deployment g
  join decision c on c.id = g.open_decision_id
  cross join lateral jsonb_to_recordset(c.verdict -> 'artifacts') as v (name text, digest text)
  where g.state = 'pending' and not g.waiting and g.began_at > $1 and g.repository_id in (select repository_id from stated)
    and not exists (
      select from reported_deployment d
      left join deployment_report s on s.deployment_id = d.id and s.status = 'started'
      where ${SAME_DEPLOYMENT} and (s.can_deploy is not true or s.at_target is not true or exists (
        select from deployment_report e where e.deployment_id = d.id and e.status in ('failed', 'cancelled', 'unknown'))))`;

/** The running artifacts of the repositories that the transaction can see. The policy decides by the names that it requires. */
const RUNNING = `
  with stated as (
    select s.id, s.repository_id, s.environment, s.received_at, s.stated_at, o.login, r.name as repository, r.lower_name
    from running_statement s
    join repository r on r.id = s.repository_id
    join organization o on o.org_id = s.org_id
    where r.removed_at is null and ($2::text is null or r.lower_name = lower($2)) and ($3::text is null or lower(o.login) = lower($3))
      and ($4::text is null or lower(s.environment) = lower($4)) and ($5::uuid is null or s.repository_id = $5)),
  approved as materialized (${APPROVED}),
  compared as (
    select s.*, a.name, a.digest, a.first_seen, case
      when p.value ->> 'status' = 'missing' then null
      when p.value ->> 'status' is distinct from 'valid' then false
      when (p.value #> '{policy,testing,requiredArtifacts}' @> jsonb_build_array(jsonb_build_object('name', a.name))) is not true then null
      else exists (select from approved v where v.repository_id = s.repository_id and v.name = a.name and v.digest = a.digest
        and (v.environment is null or v.environment = lower(s.environment))) end as governed
    from stated s
    join running_artifact a on a.statement_id = s.id
    left join observation p on p.repository_id = s.repository_id and p.kind = 'policy' and p.key = '')`;

const ORDER = `order by governed nulls last, lower_name, lower(environment), name, digest`;

/** Reads what runs. Whether an artifact is governed follows from the present state with each read. */
@Injectable()
export class RunningArtifactsQueries {
  /** Reads a page of the running artifacts, those that are not governed first. */
  async readPage(
    tx: TenantTransaction,
    { repo, environment, governed }: RunningFilter,
    page: PageRequest,
    now: Date,
  ): Promise<Page<LocatedRunningArtifactDto>> {
    const slash = repo?.indexOf('/') ?? -1;
    const filter = [
      startedAfter(now),
      repo?.slice(slash + 1) ?? null,
      slash === -1 ? null : (repo?.slice(0, slash) ?? null),
      environment,
      null,
      governed,
    ];
    const matches = '($6::boolean is null or governed = $6)';
    const [counted] = await tx.query<{ readonly total: number }>(
      `${RUNNING} select count(*)::float8 as total from compared where ${matches}`,
      filter,
    );
    const items = await tx.query<LocatedRunningArtifactDto>(
      `${RUNNING} select login as org, repository_id as "repoId", repository as repo, environment, name, digest, governed,
         first_seen as "firstSeen", received_at as "lastSeen", stated_at as "statedAt"
       from compared where ${matches} ${ORDER} limit $7 offset $8`,
      [...filter, page.pageSize, pageOffset(page)],
    );
    return { items, total: counted?.total ?? 0 };
  }

  /** Lists what runs in one environment of a repository, at most 500 artifacts, those that are not governed first. */
  async list(
    tx: TenantTransaction,
    repositoryId: string,
    environment: string,
    now: Date,
  ): Promise<readonly RunningArtifactDto[]> {
    return tx.query<RunningArtifactDto>(
      `${RUNNING} select name, digest, governed, first_seen as "firstSeen", received_at as "lastSeen" from compared ${ORDER}`,
      [startedAfter(now), null, null, environment, repositoryId],
    );
  }
}

/** Deployments that started earlier are not open any more. */
const startedAfter = (now: Date): Date => new Date(now.getTime() - LONGEST_DEPLOYMENT_MS);
