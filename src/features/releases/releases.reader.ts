import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { FACT_LIFETIME_MS, parseFactId, type FactKey } from '../../domain/release/facts.js';

export interface ConsultingRelease {
  readonly id: string;
  readonly consulted: readonly string[];
}

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

  /** Live releases whose last verdict rested on one of these facts, given as `kind:key`, with all that it rested on. */
  async listConsulting(
    tx: TenantTx,
    repositoryId: string,
    facts: readonly string[],
  ): Promise<readonly ConsultingRelease[]> {
    if (facts.length === 0) return [];
    return tx.query<ConsultingRelease>(
      `select id, consulted from release
       where repository_id = $1 and deleted_at is null and consulted && $2::text[] order by id`,
      [repositoryId, facts],
    );
  }

  /** The prefixes of branch names that live releases of the repository ask about. */
  async listRefPrefixes(tx: TenantTx, repositoryId: string): Promise<readonly string[]> {
    const rows = await tx.query<{ readonly fact: string }>(
      `select distinct fact from release, unnest(consulted) as fact
       where repository_id = $1 and deleted_at is null and fact like 'refs:%'`,
      [repositoryId],
    );
    return rows.map(({ fact }) => parseFactId(fact).key);
  }

  /** Live releases of a repository that are not shipped, with the facts of theirs that may change. */
  async listActive(
    tx: TenantTx,
    repositoryId: string,
  ): Promise<readonly { readonly id: string; readonly changeable: readonly FactKey[] }[]> {
    const rows = await tx.query<ConsultingRelease>(
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
