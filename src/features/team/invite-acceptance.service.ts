import { Injectable } from '@nestjs/common';
import type { PersonCaller } from '../../auth/caller.js';
import { RecentFailures } from '../../concurrency/recent-failures.js';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import { MemberDoubts } from '../accounts/members/member-doubts.recorder.js';
import type { WorkspaceStanding } from '../accounts/members/workspace-standing.js';
import { Sessions } from '../accounts/sign-in/sessions.service.js';
import { InviteAdmission } from './invite-admission.recorder.js';
import { InviteTokens } from './invite-tokens.js';
import { InvitesRepository } from './invites.repository.js';
import { TeamHost } from './organization-members.service.js';
import { outsideOrganization, unknownInvite } from './team.errors.js';

/** Lets people in who were invited. */
@Injectable()
export class InviteAcceptance {
  private readonly outsiders: RecentFailures;

  constructor(
    private readonly database: Database,
    private readonly invites: InvitesRepository,
    private readonly tokens: InviteTokens,
    private readonly admission: InviteAdmission,
    private readonly host: TeamHost,
    private readonly doubts: MemberDoubts,
    private readonly sessions: Sessions,
    clock: Clock,
  ) {
    this.outsiders = new RecentFailures(clock);
  }

  /**
   * Makes the person a member of the invite's workspace and selects it in their session: once an invite, and only for
   * people who belong to the organization on the code host now.
   */
  async accept({ person, session }: PersonCaller, token: string): Promise<WorkspaceStanding> {
    const id = this.tokens.open(token);
    const orgId = await this.invites.findWorkspace(id);
    if (orgId === null) throw unknownInvite();
    const { organization } = await this.database.inTenant(orgId, (tx) => this.admission.examine(tx, id, person));
    // A link may be in anybody's hands, and each question spends what the host allows the workspace's gates too.
    const question = `${orgId}:${person.id}`;
    if (this.outsiders.has(question)) throw outsideOrganization(organization.login);
    const { value: belongs, observedAt } = await this.host.belongs(organization, person);
    if (!belongs) {
      this.outsiders.add(question);
      throw outsideOrganization(organization.login);
    }
    await this.database.inTenant(orgId, (tx) => this.admission.admit(tx, id, person, observedAt));
    // They may have left between the host's word and the row, and what they may read is not known yet.
    await this.doubts.raise(orgId, { belonging: [], reading: [person.id] });
    return this.sessions.enterWorkspace(session, person, orgId);
  }
}
