import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { Installation } from '../../github/api/installations.js';
import { AuditRecorder } from '../audit/audit.recorder.js';

/** How a workspace stands with its installation: `none` where it has none. */
type Standing = 'live' | 'suspended' | 'none';

/** Writes down in the audit log when the host takes a workspace from the app, and gives a suspended one back. */
@Injectable()
export class InstallationStanding {
  constructor(private readonly audit: AuditRecorder) {}

  /** As it is stored; nobody else changes it until the transaction ends. */
  async read(tx: TenantTx): Promise<Standing> {
    const [row] = await tx.query<{ readonly standing: Standing }>(
      `select case when installation_id is null then 'none' when suspended_at is null then 'live' else 'suspended' end
         as standing from organization for no key update`,
    );
    return row?.standing ?? 'none';
  }

  async recordChange(tx: TenantTx, before: Standing, { id, accountLogin, suspendedAt }: Installation): Promise<void> {
    if (before === 'live' && suspendedAt !== null)
      await this.append(tx, 'installation.unlinked', accountLogin, id, 'suspended');
    if (before === 'suspended' && suspendedAt === null)
      await this.append(tx, 'installation.linked', accountLogin, id, 'unsuspended');
  }

  async recordRemoval(tx: TenantTx, login: string, installationId: number): Promise<void> {
    await this.append(tx, 'installation.unlinked', login, installationId, 'uninstalled');
  }

  private async append(
    tx: TenantTx,
    action: 'installation.linked' | 'installation.unlinked',
    subject: string,
    installationId: number,
    reason: 'suspended' | 'unsuspended' | 'uninstalled',
  ): Promise<void> {
    await this.audit.append(tx, {
      actor: { type: 'service' },
      action,
      subject,
      data: { installationId, reason },
      repositoryIds: [],
    });
  }
}
