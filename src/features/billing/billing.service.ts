import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Database } from '../../database/database.js';
import { isUuid, type OrgId } from '../../database/ids.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { type PlanUse, PlanRoom } from '../../workspaces/repository-quota.repository.js';
import { AuditRecorder } from '../audit/audit.recorder.js';
import { StorageQuota, type StorageUse } from '../evidence/storage/storage-quota.repository.js';
import { PlansRepository } from './plans.repository.js';
import { noSuchRequest } from './request-refusal.js';
import { type NamedRequest, RequesterNames } from './requester-names.reader.js';
import { UpgradeRequests } from './upgrade-requests.recorder.js';

/** What a workspace may do, and what it asked for. */
export interface BillingState extends PlanUse {
  readonly storage: StorageUse;
  /** The last request that was not withdrawn; null where there is none. */
  readonly request: NamedRequest | null;
}

/** The plan of a workspace as its own people see and ask for it. */
@Injectable()
export class Billing {
  constructor(
    private readonly database: Database,
    private readonly plans: PlansRepository,
    private readonly requests: UpgradeRequests,
    private readonly room: PlanRoom,
    private readonly storage: StorageQuota,
    private readonly names: RequesterNames,
    private readonly audit: AuditRecorder,
  ) {}

  async read(orgId: OrgId): Promise<BillingState> {
    // Of the whole workspace, whoever looks: what is left of the plan is the same for everybody, and names no repository.
    const { use, storage, request } = await this.database.inTenant(orgId, async (tx) => ({
      use: await this.room.use(tx),
      storage: await this.storage.use(tx),
      request: await this.requests.findLatest(tx),
    }));
    return { ...use, storage, request: request && (await this.names.name(request)) };
  }

  /** Asks for the pro plan. Refuses with `conflict` where there is nothing to ask for, or a request is open. */
  async requestUpgrade({ orgId, person }: Member, note: string | null): Promise<NamedRequest> {
    const request = await this.database.inTenant(orgId, async (tx) => {
      const { org } = await this.plans.lock(tx);
      const { plan } = await this.room.use(tx);
      if (plan === 'pro') throw new DomainError('conflict', 'The workspace has all that the pro plan offers already.');
      const opened = await this.requests.open(tx, person.id, note);
      await this.audit.append(tx, {
        actor: { type: 'person', id: person.id, login: person.login },
        action: 'plan.upgrade_requested',
        subject: org,
        data: { requestId: opened.id, note },
        repositoryIds: [],
      });
      return opened;
    });
    return this.names.name(request);
  }

  /** Takes an open request back. */
  async withdraw({ orgId, person }: Member, id: string): Promise<void> {
    if (!isUuid(id)) throw noSuchRequest();
    await this.database.inTenant(orgId, async (tx) => {
      const { org } = await this.plans.lock(tx);
      await this.requests.decide(tx, id, { status: 'withdrawn', decidedBy: person.id });
      await this.audit.append(tx, {
        actor: { type: 'person', id: person.id, login: person.login },
        action: 'plan.request_withdrawn',
        subject: org,
        data: { requestId: id },
        repositoryIds: [],
      });
    });
  }
}
