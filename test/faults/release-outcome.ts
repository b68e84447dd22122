import { codesOf, type RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';

export const VERSION = 'v1.0.0';

/** The final state of a release, without values that differ between repositories. */
export interface LifeOutcome {
  readonly release: object | undefined;
  readonly history: readonly object[];
  readonly shipments: number;
  /** The number of stage changes that do not begin at the end of the one before. */
  readonly gaps: number;
  readonly evidencePulls: readonly object[];
  readonly gate: object;
  readonly deliveries: readonly object[];
}

/** Reads the outcome from the tables of the service, from its gate, and from what it created on GitHub. */
export async function outcomeOf(repo: RepositoryScenario): Promise<LifeOutcome> {
  const { env, repository } = repo;
  const own = `(select id from repository where github_id = ${repository.id})`;
  const [release] = await env.asSuperuser<{ id: string }>(
    `select stage, jsonb_path_query_array(unmet, '$[*].code') as unmet,
       jsonb_path_query_array(milestone_reasons, '$[*].code') as blocking, candidate_sha is not null as candidate, tests_passing, evidence_approved,
       cancelled_at is not null as cancelled, jsonb_array_length(warnings) as warnings, shipped_at is not null as shipped
     from release where repository_id = ${own} and deleted_at is null`,
  );
  const [transitions] = await env.asSuperuser<{ shipments: string; gaps: string }>(
    `select count(*) filter (where to_stage = 'DEPLOYED') as shipments,
       count(*) filter (where from_stage is distinct from before or from_stage = to_stage) as gaps
     from (select t.*, lag(to_stage) over (partition by release_id order by t.id) as before
           from stage_transition t join release r on r.id = t.release_id where r.repository_id = ${own}) walked`,
  );
  const { candidate_sha: candidate, ...gate } = await repo.gate(VERSION);
  return {
    release,
    history: await env.asSuperuser(
      `select kind, version, environment from deployment_record where repository_id = ${own}`,
    ),
    shipments: Number(transitions?.shipments),
    gaps: Number(transitions?.gaps),
    evidencePulls: repository.pulls.list().map(({ headRef, issue }) => ({ headRef, state: issue.state })),
    gate: {
      ...gate,
      decision_id: null,
      release_id: null,
      release_url: null,
      open_until: (gate.open_until ?? null) !== null,
      reasons: codesOf(gate),
      isCandidate: candidate === repo.head(),
    },
    deliveries: await env.asSuperuser(
      `select status, count(*) from webhook_delivery where repository_github_id = ${repository.id} and status <> 'done' group by 1`,
    ),
  };
}
