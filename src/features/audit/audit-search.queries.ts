import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import type { AuditEntryDto, AuditFilter } from './audit.dto.js';

/** The part of the matching entries to read: from this sequence number downwards. */
interface Part {
  readonly last: number;
  readonly offset: number;
  readonly limit: number;
}

/** Searches the entries that the viewer can read. A hidden entry never matches, so no filter can confirm a guess about it. */
@Injectable()
export class AuditSearchQueries {
  async count(tx: TenantTransaction, filter: AuditFilter, last: number): Promise<number> {
    const { matches, params } = toConditions(filter, last);
    const [row] = await tx.query<{ readonly total: number }>(
      `select count(*)::float8 as total from audit_entry where ${matches}`,
      params,
    );
    return row?.total ?? 0;
  }

  /** Lists matching entries, newest first. */
  async list(
    tx: TenantTransaction,
    filter: AuditFilter,
    { last, offset, limit }: Part,
  ): Promise<readonly AuditEntryDto[]> {
    const { matches, params } = toConditions(filter, last);
    return tx.query<AuditEntryDto>(
      `select id, at, actor, action, subject, data, sequence::float8 as sequence, previous_hash as "previousHash", hash
       from audit_entry where ${matches}
       order by sequence desc offset $${params.length + 1}::bigint limit $${params.length + 2}::bigint`,
      [...params, offset, limit],
    );
  }
}

function toConditions(
  { actions, actor, from, to, search }: AuditFilter,
  last: number,
): { readonly matches: string; readonly params: readonly unknown[] } {
  const params: unknown[] = [];
  const given = (value: unknown, type: string): string => `$${params.push(value)}::${type}`;
  const conditions = [`sequence <= ${given(last, 'bigint')}`];
  if (actions !== null) conditions.push(`action = any(${given(actions, 'text[]')})`);
  if (actor !== null) {
    const isUser = `lower(actor ->> 'login') = lower(${given(actor, 'text')})`;
    conditions.push(actor.toLowerCase() === 'service' ? `(${isUser} or actor ->> 'type' = 'service')` : isUser);
  }
  if (from !== null) conditions.push(`at >= ${given(from, 'date')}::timestamp at time zone 'UTC'`);
  if (to !== null) conditions.push(`at < (${given(to, 'date')} + 1)::timestamp at time zone 'UTC'`);
  if (search !== null) {
    const text = `lower(${given(search, 'text')})`;
    const values = `jsonb_path_query(data, 'strict $.**') as value`;
    conditions.push(`(strpos(lower(subject), ${text}) > 0 or strpos(lower(actor ->> 'login'), ${text}) > 0
      or exists (select from ${values} where jsonb_typeof(value) in ('string', 'number')
        and strpos(lower(value #>> '{}'), ${text}) > 0))`);
  }
  return { matches: conditions.join(' and '), params };
}
