import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../clock/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { DomainError } from '../../http/domain-error.js';
import { AuditRecorder } from '../audit/audit.recorder.js';
import { type PlanUse, PlanRoom } from '../repos/plan-room.recorder.js';
import { PlansRepository } from './plans.repository.js';
import { isRequestId, noSuchRequest, requestDecided } from './request-refusal.js';
import { type NamedRequest, RequesterNames } from './requester-names.reader.js';
import { UpgradeRequestsRepository } from './upgrade-requests.repository.js';

/** What a workspace may do, and what it asked for. */
export interface BillingState extends PlanUse {
  /** The last request that was not withdrawn; null where there is none. */
  readonly request: NamedRequest | null;
}

/** The plan of a workspace as its own people see and ask for it. */
@Injectable()
export class Billing {
  constructor(
    private readonly database: Database,
    private readonly plans: PlansRepository,
    private readonly requests: UpgradeRequestsRepository,
    private readonly room: PlanRoom,
    private readonly names: RequesterNames,
    private readonly audit: AuditRecorder,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async read(orgId: OrgId): Promise<BillingState> {
    // Of the whole workspace, whoever looks: what is left of the plan is the same for everybody, and names no repository.
    const { use, request } = await this.database.inTenant(orgId, async (tx) => ({
      use: await this.room.use(tx),
      request: await this.requests.findLatest(tx),
    }));
    return { ...use, request: request && (await this.names.name(request)) };
  }

  /** Asks for the pro plan. Refuses with `conflict` where there is nothing to ask for, or a request is open. */
  async requestUpgrade({ orgId, person }: Member, note: string | null): Promise<NamedRequest> {
    if (!this.environment.billing) {
      throw new DomainError('conflict', 'Plans limit nothing here, so there is nothing to upgrade.');
    }
    const request = await this.database.inTenant(orgId, async (tx) => {
      const { org, plan } = await this.plans.lock(tx);
      if (plan === 'pro') throw new DomainError('conflict', 'The workspace is on the pro plan already.');
      const at = this.clock.now();
      const opened = await this.requests.open(tx, { id: randomUUID(), note, requestedBy: person.id, at });
      if (!opened) throw new DomainError('conflict', 'A request for the pro plan is open already.');
      await this.audit.append(tx, {
        actor: { type: 'person', id: person.id, login: person.login },
        action: 'plan.upgrade_requested',
        subject: org,
        data: { requestId: opened.id, note },
      });
      return opened;
    });
    return this.names.name(request);
  }

  /** Takes an open request back. */
  async withdraw({ orgId, person }: Member, id: string): Promise<void> {
    if (!isRequestId(id)) throw noSuchRequest();
    await this.database.inTenant(orgId, async (tx) => {
      const { org } = await this.plans.lock(tx);
      const decision = { status: 'withdrawn', decidedBy: person.id } as const;
      if (!(await this.requests.close(tx, id, decision, this.clock.now()))) {
        throw requestDecided(await this.requests.find(tx, id));
      }
      await this.audit.append(tx, {
        actor: { type: 'person', id: person.id, login: person.login },
        action: 'plan.request_withdrawn',
        subject: org,
        data: { requestId: id },
      });
    });
  }
}
