import { Injectable } from '@nestjs/common';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { FactKind } from '../../../domain/facts/facts.js';

/**
 * The place of a read or of a hint in the one order that all processes share, a whole number as Postgres writes it. A read takes
 * its number before it begins. A read with a higher number than a hint sees every change that came before the hint.
 */
export type FactNumber = string;

/**
 * Facts that may have changed. Without a key it is each fact of the kind, and without a kind every fact. Of `refs` the key is
 * the name of a branch: that is part of what is known of each prefix of it.
 */
export interface FactHint {
  readonly kind: FactKind | null;
  readonly key: string | null;
}

/** SQL that says whether the hint `h` (`kind`, `key`) concerns the fact `f` (`kind`, `key`). */
export const concerns = (h: string, f: string): string =>
  `(${h}.kind is null or ${h}.kind = ${f}.kind
    and (${h}.key is null or ${h}.key = ${f}.key or ${h}.kind = 'refs' and starts_with(${h}.key, ${f}.key)))`;

interface NumberRow {
  readonly number: FactNumber;
}

const NEXT = `select nextval('fact_number') as number`;

/** Keeps when facts were last said to have changed, whether or not anybody has stored them. */
@Injectable()
export class FactHints {
  constructor(private readonly database: Database) {}

  /** The number of a read that is about to begin. */
  async next(): Promise<FactNumber> {
    return numberIn(await this.database.queryWithoutTenant<NumberRow>('next_fact_number', NEXT, []));
  }

  /** The same for whoever has a transaction already. */
  async nextIn(tx: TenantTransaction): Promise<FactNumber> {
    return numberIn(await tx.queryPrepared<NumberRow>('next_fact_number', NEXT, []));
  }

  /**
   * Notes hints about a repository, or about all of them where it is null, and answers their number. To be called in a transaction
   * of its own: it waits for those that store facts at this moment, and those that come later wait for it. Once it has committed,
   * whatever an earlier read told is stored already, and found by a later statement, or is refused.
   */
  async note(tx: TenantTransaction, repositoryId: string | null, hints: readonly FactHint[]): Promise<FactNumber> {
    if (hints.length === 0) return this.nextIn(tx);
    await tx.queryPrepared('hold_facts', 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      lockOf(tx, repositoryId),
    ]);
    const noted = await tx.queryPrepared<NumberRow>(
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
    return numberIn(noted);
  }

  /** Lets no hint about the repository come between what is compared with hints from here on and the end of the transaction. */
  async holdBack(tx: TenantTransaction, repositoryId: string): Promise<void> {
    await tx.queryPrepared(
      'hold_hints_back',
      `select pg_advisory_xact_lock_shared(hashtextextended($1, 0)),
         pg_advisory_xact_lock_shared(hashtextextended($2, 0))`,
      [lockOf(tx, null), lockOf(tx, repositoryId)],
    );
  }
}

/** One for each repository, and one for what concerns all of them. */
const lockOf = ({ orgId }: TenantTransaction, repositoryId: string | null): string =>
  `${orgId} facts${repositoryId === null ? '' : ` of ${repositoryId}`}`;

function numberIn([row]: readonly NumberRow[]): FactNumber {
  if (!row) throw new Error('The sequence of facts gave no number.');
  return row.number;
}
