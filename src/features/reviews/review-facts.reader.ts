import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { FactKind, Observation } from '../../domain/facts/facts.js';
import type { Reviewer } from '../../domain/review/eligibility.js';
import { lifetimeOf } from '../../domain/review/fresh-facts.js';

interface ToldFact {
  readonly kind: FactKind;
  readonly key: string;
  readonly value: Observation['value'];
  readonly observed_at: Date;
}

interface FactRow extends ToldFact {
  readonly repository_id: string;
}

/** What was observed of a person's standing in repositories, by the repositories' ids. */
export type StandingFacts = ReadonlyMap<string, readonly Observation[]>;

interface SharedFactRow extends ToldFact {
  /** With blanks between them. */
  readonly repository_ids: string;
}

// Whether the person belongs to the team, and not who else does: there may be thousands.
const MEMBERSHIP = `jsonb_build_object(
  'exists', o.value -> 'exists',
  'userIds', case when o.value -> 'userIds' @> to_jsonb($1::bigint) then jsonb_build_array($1::bigint) else '[]' end)`;

/** Reads by what a person is told whether they may review: the rules, what they may do, and their teams. */
@Injectable()
export class ReviewFactsReader {
  async list(tx: TenantTx, reviewer: Reviewer, repositoryIds: readonly string[]): Promise<StandingFacts> {
    if (repositoryIds.length === 0) return new Map();
    const rows = await tx.prepared<FactRow>(
      'list_review_facts',
      `select o.repository_id, o.kind, o.key, o.observed_at,
         case o.kind when 'team' then ${MEMBERSHIP} else o.value end as value
       from observation o
       where (o.kind = 'policy' and o.key = '' or o.kind = 'permission' and o.key = $2 or o.kind = 'team')
         and o.repository_id = any($3::uuid[])`,
      [reviewer.userId, reviewer.login, repositoryIds],
    );
    return byRepository(rows);
  }

  /**
   * What counts now in every repository, as far as it is the same for all of its releases. Of a policy it is read what it asks
   * of reviewers and what comes of their approvals; where many repositories are told the same it is read once, as of the
   * earliest time, and those that are told all alike have one list in common.
   */
  async listStandings(tx: TenantTx, { userId, login }: Reviewer, now: Date): Promise<StandingFacts> {
    const since = (kind: FactKind): Date => new Date(now.getTime() - lifetimeOf(kind));
    const rows = await tx.prepared<SharedFactRow>(
      'list_standing_facts',
      `select kind, key, observed_at, repository_ids, case when kind <> 'policy' then value
           when value is null then '{"status": "invalid"}'
           else jsonb_build_object('status', 'valid', 'policy', jsonb_build_object(
             'evidencing', jsonb_build_object('requiredReviewers', value), 'deployment', deployment)) end as value
       from (
         select kind, key, value, deployment, min(observed_at) as observed_at,
           string_agg(repository_id::text, ' ') as repository_ids
         from (
           select o.repository_id, o.kind, o.key, o.observed_at, case o.kind when 'team' then ${MEMBERSHIP}
               when 'policy' then
                 case when o.value ->> 'status' = 'valid' then o.value #> '{policy,evidencing,requiredReviewers}' end
               else o.value end as value,
             case o.kind when 'policy' then o.value #> '{policy,deployment}' end as deployment
           from observation o
           where (o.kind = 'policy' and o.key = '' and o.observed_at > $3
             or o.kind = 'permission' and o.key = $2 and o.observed_at > $4
             or o.kind = 'team' and o.observed_at > $5)) as told
         group by kind, key, value, deployment) as shared`,
      [userId, login, since('policy'), since('permission'), since('team')],
    );
    return sharedByRepository(rows);
  }
}

function byRepository(rows: readonly FactRow[]): StandingFacts {
  const facts = new Map<string, Observation[]>();
  for (const row of rows) {
    const known = facts.get(row.repository_id) ?? [];
    known.push(observationOf(row));
    facts.set(row.repository_id, known);
  }
  return facts;
}

function sharedByRepository(rows: readonly SharedFactRow[]): StandingFacts {
  const facts = new Map<string, readonly Observation[]>();
  const none: readonly Observation[] = [];
  for (const row of rows) {
    const observation = observationOf(row);
    // Whoever had a list in common has the longer one in common too.
    const longer = new Map<readonly Observation[], readonly Observation[]>();
    for (const id of row.repository_ids.split(' ')) {
      const known = facts.get(id) ?? none;
      const more = longer.get(known) ?? [...known, observation];
      longer.set(known, more);
      facts.set(id, more);
    }
  }
  return facts;
}

const observationOf = ({ kind, key, value, observed_at: observedAt }: ToldFact): Observation => ({
  kind,
  key,
  value,
  observedAt,
});
