import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { FactKind, Observation } from '../../domain/release/facts.js';
import type { Reviewer } from '../../domain/review/eligibility.js';
import { IN_REVIEW } from './pending-reviews.reader.js';

interface FactRow {
  readonly repository_id: string;
  readonly kind: FactKind;
  readonly key: string;
  readonly value: Observation['value'];
  readonly observed_at: Date;
}

/** What was observed of a person's standing in repositories, by the repositories' ids. */
export type StandingFacts = ReadonlyMap<string, readonly Observation[]>;

// Of a team it is read whether the person belongs to it, and not who else does: there may be thousands.
const SELECT = `
  select o.repository_id, o.kind, o.key, o.observed_at, case o.kind when 'team' then jsonb_build_object(
      'exists', o.value -> 'exists',
      'userIds', case when o.value -> 'userIds' @> to_jsonb($1::bigint) then jsonb_build_array($1::bigint) else '[]' end)
    else o.value end as value
  from observation o
  where (o.kind = 'policy' and o.key = '' or o.kind = 'permission' and o.key = $2 or o.kind = 'team')`;

/** Reads by what a person is told whether they may review: the rules, what they may do, and their teams. */
@Injectable()
export class ReviewFactsReader {
  async list(tx: TenantTx, reviewer: Reviewer, repositoryIds: readonly string[]): Promise<StandingFacts> {
    return byRepository(
      await tx.prepared<FactRow>('list_review_facts', `${SELECT} and o.repository_id = any($3::uuid[])`, [
        reviewer.userId,
        reviewer.login,
        repositoryIds,
      ]),
    );
  }

  /** Of every repository that has a release in review; where nothing was observed of one, its list is empty. */
  async listPending(tx: TenantTx, reviewer: Reviewer): Promise<StandingFacts> {
    const repositories = await tx.prepared<{ readonly id: string }>(
      'list_reviewed_repositories',
      `select distinct r.repository_id as id from release r where ${IN_REVIEW}`,
      [],
    );
    const ids = repositories.map(({ id }) => id);
    const facts = await this.list(tx, reviewer, ids);
    return new Map(ids.map((id) => [id, facts.get(id) ?? []]));
  }
}

function byRepository(rows: readonly FactRow[]): StandingFacts {
  const facts = new Map<string, Observation[]>();
  for (const { repository_id: id, kind, key, value, observed_at: observedAt } of rows) {
    const known = facts.get(id) ?? [];
    known.push({ kind, key, value, observedAt });
    facts.set(id, known);
  }
  return facts;
}
