import { Injectable } from '@nestjs/common';
import { aheadOf } from '../../../auth/session/session-lifetime.js';
import type { TenantTx } from '../../../database/database.js';
import { FACT_LIFETIME_MS, parseFactId, type FactKey } from '../../../domain/facts/facts.js';
import { concerns, type FactHint } from '../facts/fact-hints.repository.js';

/** For how long nobody begins to change the scope of a release that waits to be shipped: the next try may come late. */
export const SCOPE_CLOSED_FOR_MS = 60_000;

/** Which releases a workspace has. */
@Injectable()
export class ReleasesReader {
  /** The live release of this exact version; null where there is none. */
  async findByVersion(tx: TenantTx, repositoryId: string, version: string): Promise<string | null> {
    const [row] = await tx.query<{ readonly id: string }>(
      `select id from release where repository_id = $1 and version = $2 and deleted_at is null`,
      [repositoryId, version],
    );
    return row?.id ?? null;
  }

  /** Whether the release is still to be shipped, and stays so until the transaction ends; null where it is gone. */
  async lockStanding(tx: TenantTx, releaseId: string): Promise<'live' | 'shipped' | null> {
    const [row] = await tx.query<{ readonly shipped: boolean }>(
      `select shipped_at is not null as shipped from release where id = $1 and deleted_at is null for update`,
      [releaseId],
    );
    if (!row) return null;
    return row.shipped ? 'shipped' : 'live';
  }

  /**
   * Whether the release was deployed, and waits only for changes of its scope to come to an end before it is shipped. What
   * reaches further than it can was written by a clock that was wrong.
   */
  async isAboutToShip(tx: TenantTx, releaseId: string, now: Date): Promise<boolean> {
    const rows = await tx.query(
      `select from release where id = $1 and scope_closed_until > $2 and scope_closed_until <= $3`,
      [releaseId, now, aheadOf(new Date(now.getTime() + SCOPE_CLOSED_FOR_MS))],
    );
    return rows.length > 0;
  }

  /** Whether the release is shipped by now; it is not held. */
  async isShipped(tx: TenantTx, releaseId: string): Promise<boolean> {
    const rows = await tx.query(`select from release where id = $1 and shipped_at is not null`, [releaseId]);
    return rows.length > 0;
  }

  /**
   * Those of the facts that may have changed on which a verdict may rest: what the last ones rested on, and whatever is stored. A
   * release that is made next would take that for fresh, although nobody asked about it when it changed.
   */
  async listRestedOn(tx: TenantTx, repositoryId: string, hints: readonly FactHint[]): Promise<readonly FactKey[]> {
    if (hints.length === 0) return [];
    return tx.prepared<FactKey>(
      'list_facts_rested_on',
      `with h as (select * from unnest($2::text[], $3::text[]) as h (kind, key))
       select o.kind, o.key from h join observation o on o.repository_id = $1 and ${concerns('h', 'o')}
       union
       select f.kind, f.key from (
         select split_part(fact, ':', 1) as kind, substr(fact, strpos(fact, ':') + 1) as key
         from release, unnest(consulted) as fact where repository_id = $1 and deleted_at is null) as f
       join h on ${concerns('h', 'f')}
       order by kind, key`,
      [repositoryId, hints.map(({ kind }) => kind), hints.map(({ key }) => key)],
    );
  }

  /** Live releases of a repository that are not shipped, with the facts of theirs that may change. */
  async listActive(
    tx: TenantTx,
    repositoryId: string,
  ): Promise<readonly { readonly id: string; readonly changeable: readonly FactKey[] }[]> {
    const rows = await tx.query<{ readonly id: string; readonly consulted: readonly string[] }>(
      `select id, consulted from release
       where repository_id = $1 and deleted_at is null and shipped_at is null order by id`,
      [repositoryId],
    );
    return rows.map(({ id, consulted }) => ({
      id,
      changeable: consulted.map(parseFactId).filter(({ kind }) => Number.isFinite(FACT_LIFETIME_MS[kind])),
    }));
  }
}
