import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import type { MemberRole, Person } from '../../auth/user.js';
import { Database, type TenantTx } from '../../database/database.js';
import { AdminOffice } from '../accounts/members/admin-office.reader.js';
import { MemberRemoval } from '../accounts/members/member-removal.service.js';
import { PeopleReader } from '../accounts/users/people.reader.js';
import { AuditRecorder } from '../audit/audit.recorder.js';
import { InviteRecorder } from './invite.recorder.js';
import { lastAdmin, noSuchMember } from './team.errors.js';
import { TeamRepository } from './team.repository.js';
import type { Teammate } from './teammate.js';

/** The ids of GitHub begin at 1, and are written without a sign or leading zeros. */
const USER_ID = /^[1-9]\d{0,15}$/;

/** Who is what in a workspace. It keeps an admin as long as its admins alone decide. */
@Injectable()
export class Team {
  constructor(
    private readonly database: Database,
    private readonly team: TeamRepository,
    private readonly office: AdminOffice,
    private readonly invites: InviteRecorder,
    private readonly removal: MemberRemoval,
    private readonly people: PeopleReader,
    private readonly audit: AuditRecorder,
  ) {}

  /**
   * Takes effect with the member's next request; the invites of an admin end with the office. Throws `conflict` for the
   * last admin, `forbidden` where whoever decides ceased to be an admin meanwhile.
   */
  async changeRole({ orgId, person: admin }: Member, userId: string, role: MemberRole): Promise<Teammate> {
    const person = await this.personOf(userId);
    return this.database.inTenant(orgId, async (tx) => {
      await this.team.lock(tx);
      const member = await this.team.find(tx, person.id);
      if (member?.role === 'admin' && role !== 'admin') await this.refuseLastAdmin(tx, person.id);
      await this.office.hold(tx, admin.id);
      if (member === null) throw noSuchMember();
      if (member.role === role) return { ...member, person };
      if (!(await this.team.setRole(tx, person.id, role))) throw noSuchMember();
      if (role !== 'admin') await this.invites.revokeMadeBy(tx, admin, person.id);
      await this.audit.append(tx, {
        actor: { type: 'person', id: admin.id, login: admin.login },
        action: 'member.role_changed',
        subject: person.login,
        data: { userId: person.id, from: member.role, to: role },
        repositoryIds: [],
      });
      return { ...member, person, role };
    });
  }

  /**
   * Ends the membership with the person's keys, and withdraws what invites wait for them: with their next request they
   * are out. Throws `conflict` for the last admin, `forbidden` where whoever decides ceased to be an admin meanwhile.
   */
  async remove({ orgId, person: admin }: Member, userId: string): Promise<void> {
    const person = await this.personOf(userId);
    await this.database.inTenant(orgId, async (tx) => {
      await this.team.lock(tx);
      const member = await this.team.find(tx, person.id);
      if (member?.role === 'admin') await this.refuseLastAdmin(tx, person.id);
      await this.office.hold(tx, admin.id);
      if (member === null) throw noSuchMember();
      await this.invites.revokeFor(tx, admin, person.id, 'removed_from_workspace');
      const actor = { type: 'person', id: admin.id, login: admin.login } as const;
      const removal = { login: person.login, actor, reason: 'removed_by_admin' } as const;
      if (!(await this.removal.remove(tx, person.id, removal))) throw noSuchMember();
    });
  }

  /** Throws `not_found` for what is no id, and for people whom the service has never seen. */
  private async personOf(userId: string): Promise<Person> {
    const id = USER_ID.test(userId) ? Number(userId) : 0;
    const person = Number.isSafeInteger(id) ? (await this.people.list([id])).get(id) : undefined;
    if (!person) throw noSuchMember();
    return person;
  }

  private async refuseLastAdmin(tx: TenantTx, person: number): Promise<void> {
    if (!(await this.team.hasOtherAdmin(tx, person))) throw lastAdmin();
  }
}
