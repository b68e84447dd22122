import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { FACT_LIFETIME_MS, factId, parseFactId, type FactKey } from '../../domain/release/facts.js';

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
   * Those of the facts that a verdict may rest on: what the last ones rested on, and whatever is stored. A release that
   * is made next would take that for fresh, although nobody asked about it when it changed.
   */
  async listRestedOn(tx: TenantTx, repositoryId: string, facts: readonly FactKey[]): Promise<readonly FactKey[]> {
    if (facts.length === 0) return [];
    const rows = await tx.query<{ readonly fact: string }>(
      `select kind || ':' || key as fact from observation
       where repository_id = $1 and (kind, key) in (select * from unnest($2::text[], $3::text[]))
       union
       select fact from release, unnest(consulted) as fact
       where repository_id = $1 and deleted_at is null and fact = any($4::text[])
       order by fact`,
      [repositoryId, facts.map(({ kind }) => kind), facts.map(({ key }) => key), facts.map(factId)],
    );
    return rows.map(({ fact }) => parseFactId(fact));
  }

  /** The prefixes of branch names that releases of the repository ask or asked about. */
  async listRefPrefixes(tx: TenantTx, repositoryId: string): Promise<readonly string[]> {
    const rows = await tx.query<{ readonly prefix: string }>(
      `select key as prefix from observation where repository_id = $1 and kind = 'refs'
       union
       select substr(fact, length('refs:') + 1) from release, unnest(consulted) as fact
       where repository_id = $1 and deleted_at is null and fact like 'refs:%'`,
      [repositoryId],
    );
    return rows.map(({ prefix }) => prefix);
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
