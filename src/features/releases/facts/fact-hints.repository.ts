import { Injectable } from '@nestjs/common';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { FactKind } from '../../../domain/facts/facts.js';

/**
 * The position of a read or a hint in one order that all processes share, a whole number as Postgres writes it. A read takes its
 * number before it begins. A read with a higher number than a hint sees every change before the hint.
 */
export type FactNumber = string;

/**
 * A hint that facts may have changed. Without a key it concerns all facts of the kind, and without a kind all facts. The key of
 * `refs` is a branch name and concerns every prefix of it.
 */
export interface FactHint {
  readonly kind: FactKind | null;
  readonly key: string | null;
}

/** SQL that checks whether the hint `h` (`kind`, `key`) concerns the fact `f` (`kind`, `key`). */
export const concerns = (h: string, f: string): string =>
  `(${h}.kind is null or ${h}.kind = ${f}.kind
    and (${h}.key is null or ${h}.key = ${f}.key or ${h}.kind = 'refs' and starts_with(${h}.key, ${f}.key)))`;

interface NumberResult {
  readonly number: FactNumber;
}

const NEXT = `select nextval('fact_number') as number`;

/** Stores when facts were last reported as changed, also facts that are not stored. */
@Injectable()
export class FactHintsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the number of a read that is about to begin. */
  async next(): Promise<FactNumber> {
    return getNumber(await this.database.queryWithoutTenant<NumberResult>('next_fact_number', NEXT, []));
  }

  /** Returns the same inside a transaction. */
  async nextIn(tx: TenantTransaction): Promise<FactNumber> {
    return getNumber(await tx.queryPrepared<NumberResult>('next_fact_number', NEXT, []));
  }

  /**
   * Stores hints about a repository, or about all if it is null, and returns their number. Needs its own transaction: it waits
   * for transactions that store facts now, and later ones wait for it. After its commit the result of an earlier read is either
   * stored and visible to later statements, or refused.
   */
  async note(tx: TenantTransaction, repositoryId: string | null, hints: readonly FactHint[]): Promise<FactNumber> {
    if (hints.length === 0) return this.nextIn(tx);
    await tx.queryPrepared('hold_facts', 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      toLockName(tx, repositoryId),
    ]);
    const noted = await tx.queryPrepared<NumberResult>(
      'note_fact_hints',
      `with next as materialized (select nextval('fact_number') as number),
       noted as (
         insert into fact_hint (org_id, repository_id, kind, key, number)
         select $1, $2, hint.kind, hint.key, next.number
         from next, (select distinct * from unnest($3::text[], $4::text[]) as hint (kind, key)) as hint
         on conflict (org_id, repository_id, kind, key) do update
         set number = excluded.number, hinted_at = excluded.hinted_at)
       select number from next`,
      [tx.orgId, repositoryId, hints.map(({ kind }) => kind), hints.map(({ key }) => key)],
    );
    return getNumber(noted);
  }

  /** Blocks hints about the repository from here until the transaction ends, so that a comparison with hints stays valid. */
  async holdBack(tx: TenantTransaction, repositoryId: string): Promise<void> {
    await tx.queryPrepared(
      'hold_hints_back',
      `select pg_advisory_xact_lock_shared(hashtextextended($1, 0)),
         pg_advisory_xact_lock_shared(hashtextextended($2, 0))`,
      [toLockName(tx, null), toLockName(tx, repositoryId)],
    );
  }
}

/** One lock per repository, and one for hints about all of them. */
const toLockName = ({ orgId }: TenantTransaction, repositoryId: string | null): string =>
  `${orgId} facts${repositoryId === null ? '' : ` of ${repositoryId}`}`;

function getNumber([row]: readonly NumberResult[]): FactNumber {
  if (!row) throw new Error('The sequence of facts gave no number.');
  return row.number;
}
