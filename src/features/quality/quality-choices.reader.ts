import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { EvidenceKind } from '../../domain/evidence/evidence.js';

/** A choice among more than these helps nobody; the filters take every value. */
const CHOICES = 1_000;

/** What the filters can be set to so that something is found. */
export interface QualityChoices {
  readonly owners: readonly string[];
  /** Without their organization. */
  readonly repos: readonly string[];
  /** Versions, the newest first. */
  readonly milestones: readonly string[];
  readonly types: readonly EvidenceKind[];
  readonly environments: readonly string[];
}

interface ChoicesRow {
  readonly owner: string;
  readonly repos: readonly string[];
  readonly versions: readonly string[];
  readonly kinds: readonly EvidenceKind[];
  readonly environments: readonly string[];
}

/**
 * From one value to the next one, so that as much is read as there are values and not as there are releases. Names of
 * environments may be made for each pull request, so their number is bounded. Each walk begins before the first value, and so
 * reads its table in one place: what the viewer may read is worked out anew for every place. No order of a version begins with a 2,
 * and no other value is empty.
 */
const READ = `
  with recursive version (version_order, version, at) as (
    select '2' collate "C", '', 0
    union all
    select next.version_order, next.version, version.at + 1 from version cross join lateral (
      select r.version_order, r.version from release r
      where r.evidence_at is not null and r.version_order < version.version_order
      order by r.version_order desc limit 1) next
    where version.at < ${CHOICES}
  ), kind (kind) as (
    select '' collate "C"
    union all
    select next.kind from kind cross join lateral (
      select f.kind from evidence_facet f where f.kind > kind.kind order by f.kind limit 1) next
  ), environment (environment, at) as (
    select '' collate "C", 0
    union all
    select next.environment, environment.at + 1 from environment cross join lateral (
      select f.environment from evidence_facet f where f.environment > environment.environment
      order by f.environment limit 1) next
    where environment.at < ${CHOICES}
  )
  select (select login from organization) as owner,
    array(select r.name from repository r
      join (select repository_id from repository_tally group by repository_id having sum(evidenced) > 0) evidenced
        on evidenced.repository_id = r.id
      order by r.lower_name, r.id limit ${CHOICES}) as repos,
    array(select version from version where at > 0 order by at) as versions,
    array(select kind from kind where kind <> '' order by kind) as kinds,
    array(select environment from environment where at > 0 order by at) as environments`;

/** What there is to choose from in all that whoever opened the transaction may see. */
@Injectable()
export class QualityChoicesReader {
  async read(tx: TenantTx): Promise<QualityChoices> {
    const [row] = await tx.prepared<ChoicesRow>('read_quality_choices', READ, []);
    if (!row || row.repos.length === 0) return { owners: [], repos: [], milestones: [], types: [], environments: [] };
    return {
      owners: [row.owner],
      // One that was made anew under the same name is another repository, and the same choice.
      repos: [...new Set(row.repos)],
      milestones: row.versions,
      types: row.kinds,
      environments: row.environments,
    };
  }
}
