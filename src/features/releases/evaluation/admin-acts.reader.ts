import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import type { AdminActs, BreakGlass, Waiver } from '../../../domain/override/override.js';
import type { ActingPerson } from '../../../domain/override/two-person-act.js';
import type { Freeze } from '../../../domain/policy/policy.js';

interface ActRow {
  readonly id: string;
  readonly reason: string;
  readonly requestedBy: ActingPerson;
  readonly confirmedBy: ActingPerson | null;
  readonly confirmedAt: string | null;
  readonly expiresAt: string;
}

interface ActsRow {
  readonly freezes: readonly Freeze[];
  readonly waivers: readonly (ActRow & Pick<Waiver, 'condition' | 'details' | 'candidateSha'>)[];
  readonly break_glasses: readonly (ActRow & Pick<BreakGlass, 'sha'>)[];
}

const ACT = `'id', id, 'reason', reason,
  'requestedBy', jsonb_build_object('id', requested_by, 'login', requested_by_login),
  'confirmedBy', case when confirmed_by is not null then
    jsonb_build_object('id', confirmed_by, 'login', confirmed_by_login) end,
  'confirmedAt', confirmed_at, 'expiresAt', expires_at`;
const STANDS = `release_id = $1 and confirmed_at is not null and withdrawn_at is null and expires_at > $2`;
const FREEZES = `coalesce(jsonb_agg(jsonb_build_object('from', from_day, 'to', to_day, 'reason', reason)
  order by from_day, to_day, id), '[]')`;

/** The freezes that stood at a moment, as one value of a statement; the moment is a parameter of it. */
export const freezesStandingAt = (at: string): string => `(select ${FREEZES} from deployment_freeze
  where made_at <= ${at} and (lifted_at is null or lifted_at > ${at}))`;

/** What admins decided that a verdict has to go by. */
@Injectable()
export class AdminActsReader {
  /** Of the release, and of the whole workspace: all that stands at this moment, or will. */
  async list(tx: TenantTx, releaseId: string, now: Date): Promise<AdminActs> {
    const [row] = await tx.prepared<ActsRow>(
      'list_admin_acts',
      `select
         (select ${FREEZES} from deployment_freeze where lifted_at is null and to_day >= ($2 at time zone 'UTC')::date) as freezes,
         (select coalesce(jsonb_agg(jsonb_build_object(${ACT}, 'condition', condition, 'details', details,
             'candidateSha', candidate_sha) order by confirmed_at, id), '[]')
           from waiver where ${STANDS}) as waivers,
         (select coalesce(jsonb_agg(jsonb_build_object(${ACT}, 'sha', sha) order by confirmed_at, id), '[]')
           from break_glass where ${STANDS}) as break_glasses`,
      [releaseId, now],
    );
    if (!row) throw new TypeError('A select of three values has a row.');
    return {
      freezes: row.freezes,
      waivers: row.waivers.map(withDates),
      breakGlasses: row.break_glasses.map(withDates),
    };
  }

  /** The freezes that stood at a moment that has passed, whatever became of them since. */
  async listFreezesAt(tx: TenantTx, at: Date): Promise<readonly Freeze[]> {
    const [row] = await tx.prepared<Pick<ActsRow, 'freezes'>>(
      'list_freezes_at',
      `select ${freezesStandingAt('$1')} as freezes`,
      [at],
    );
    return row?.freezes ?? [];
  }
}

const withDates = <A extends ActRow>(act: A): A & { readonly confirmedAt: Date | null; readonly expiresAt: Date } => ({
  ...act,
  confirmedAt: act.confirmedAt === null ? null : new Date(act.confirmedAt),
  expiresAt: new Date(act.expiresAt),
});
