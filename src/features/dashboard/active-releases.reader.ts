import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { Outcome } from '../../domain/release/outcome.js';
import { offsetOf, type PageRequest } from '../../http/pagination/page-request.js';
import type { FreezesInForce } from './freezes-in-force.reader.js';

/** How many active releases there are, in all and of each outcome. */
export type OutcomeCounts = Readonly<Record<'all' | Outcome, number>>;

/** Which active releases are asked for. */
export interface ReleaseFilter {
  /** A part of a repository's name or of a version, whatever its case; null is any. */
  readonly search: string | null;
  /** Null is any. */
  readonly outcome: Outcome | null;
}

/** Ids of active releases, those that changed last first. */
export interface FoundReleases {
  readonly ids: readonly string[];
  /** Of all that match the search, whatever the outcome and the page. */
  readonly counts: OutcomeCounts;
}

interface FoundRow {
  readonly all: string;
  readonly blocked: string;
  readonly needs_approval: string;
  readonly ready_to_deploy: string;
  readonly in_progress: string;
  readonly ids: readonly string[];
}

const OPEN = `coalesce(ready_until > $3::timestamptz, false)`;
const BLOCKED = `(standing = 'b' or ($6::boolean or repository_id = any($2::uuid[])) and not ${OPEN})`;

/** `outcomeOf` in SQL, a condition for each. */
const IS: Readonly<Record<Outcome, string>> = {
  blocked: BLOCKED,
  needs_approval: `not ${BLOCKED} and standing = 'a'`,
  ready_to_deploy: `not ${BLOCKED} and standing = 'p' and ${OPEN}`,
  in_progress: `not ${BLOCKED} and standing = 'p' and not ${OPEN}`,
};

/**
 * All that the conditions ask of a release stands in the index of the active ones, so that its row is not read. The search is
 * no condition of an index: row-level security lets only leakproof ones be, and none that finds a part of a text is. So
 * repositories, of which there are few, are searched first.
 */
const MATCHES = `shipped_at is null and cancelled_at is null and deleted_at is null
  and ($1::text is null or strpos(lower_version, $1) > 0 or repository_id in (
    select id from repository
    where strpos(case when strpos($1, '/') > 0 then (select lower(login) from organization) || '/' || lower_name
      else lower_name end, $1) > 0))`;

const countOf = (outcome: Outcome): string => `count(*) filter (where ${IS[outcome]}) as ${outcome}`;

/** Finds the releases that are neither shipped nor cancelled. */
@Injectable()
export class ActiveReleases {
  /** One statement, so that the counts are those of the moment at which the page was taken; every id without a page. */
  async find(
    tx: TenantTx,
    { search, outcome }: ReleaseFilter,
    page: PageRequest | null,
    { freezes, now }: { readonly freezes: FreezesInForce; readonly now: Date },
  ): Promise<FoundReleases> {
    const [row] = await tx.query<FoundRow>(
      `select counts.*, array(
         select id from release where ${MATCHES} ${outcome === null ? '' : `and ${IS[outcome]}`}
         order by updated_at desc, id limit $4::bigint offset $5::bigint) as ids
       from (
         select count(*) as all, ${countOf('blocked')}, ${countOf('needs_approval')}, ${countOf('ready_to_deploy')},
           ${countOf('in_progress')}
         from release where ${MATCHES}) as counts`,
      [
        search?.toLowerCase() ?? null,
        [...freezes.byRepository.keys()],
        now,
        page?.pageSize ?? null,
        page ? offsetOf(page) : 0,
        freezes.ofWorkspace.length > 0,
      ],
    );
    if (!row) throw new TypeError('A count has a row.');
    return {
      ids: row.ids,
      counts: {
        all: Number(row.all),
        blocked: Number(row.blocked),
        needs_approval: Number(row.needs_approval),
        ready_to_deploy: Number(row.ready_to_deploy),
        in_progress: Number(row.in_progress),
      },
    };
  }
}
