import { Injectable } from '@nestjs/common';
import type { MemberRole } from '../../auth/person.js';
import type { TenantTx } from '../../database/database.js';
import type { TeamOrganization } from './team-host.service.js';

export interface TeamMember {
  /** The person's id on the code host. */
  readonly person: number;
  readonly role: MemberRole;
  readonly joinedAt: Date;
}

interface MemberRow {
  readonly person: string;
  readonly role: MemberRole;
  readonly joined_at: Date;
}

/** The members of a workspace as its admins govern them. */
@Injectable()
export class TeamRepository {
  /**
   * Makes everybody else who changes this team wait until the transaction ends, so that what it counted stays true.
   * To be the first statement: one that waited after it had read would go by what it read before.
   */
  async lock(tx: TenantTx): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${tx.orgId} team`]);
  }

  async organization(tx: TenantTx): Promise<TeamOrganization> {
    const [row] = await tx.query<{
      readonly github_id: string;
      readonly login: string;
      readonly installation_id: string | null;
    }>(
      `select github_id, login, case when suspended_at is null then installation_id end as installation_id
       from organization`,
    );
    if (!row) throw new Error(`The workspace ${tx.orgId} has no organization.`);
    const installationId = row.installation_id === null ? null : Number(row.installation_id);
    return { githubId: Number(row.github_id), login: row.login, installationId };
  }

  async list(tx: TenantTx): Promise<readonly TeamMember[]> {
    return (await tx.query<MemberRow>('select person, role, joined_at from member')).map(memberOf);
  }

  /** Null for somebody who is no member. */
  async find(tx: TenantTx, person: number): Promise<TeamMember | null> {
    const [row] = await tx.query<MemberRow>('select person, role, joined_at from member where person = $1', [person]);
    return row ? memberOf(row) : null;
  }

  /** Whether the workspace has an admin besides this person. */
  async hasOtherAdmin(tx: TenantTx, person: number): Promise<boolean> {
    return (await tx.query(`select from member where role = 'admin' and person <> $1 limit 1`, [person])).length > 0;
  }

  /** Makes the person a member, whom the host named as one of the organization; false where they are one already. */
  async join(tx: TenantTx, { person, role, joinedAt }: TeamMember, confirmedAt: Date): Promise<boolean> {
    const joined = await tx.query(
      `insert into member (org_id, person, role, joined_at, confirmed_at) values ($1, $2, $3, $4, $5)
       on conflict (org_id, person) do nothing returning person`,
      [tx.orgId, person, role, joinedAt, confirmedAt],
    );
    return joined.length > 0;
  }

  /** False where the person is no member any more. */
  async setRole(tx: TenantTx, person: number, role: MemberRole): Promise<boolean> {
    return (
      (await tx.query('update member set role = $2 where person = $1 returning person', [person, role])).length > 0
    );
  }
}

const memberOf = (row: MemberRow): TeamMember => ({
  person: Number(row.person),
  role: row.role,
  joinedAt: row.joined_at,
});
