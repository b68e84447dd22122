import { Injectable } from '@nestjs/common';
import type { Person } from '../../auth/user.js';
import type { TenantTx } from '../../database/database.js';
import type { Installation } from '../../github/api/installations.js';
import { AuditRecorder } from '../audit/audit.recorder.js';

/** Writes down who connected an organization. */
@Injectable()
export class InstallationLinks {
  constructor(private readonly audit: AuditRecorder) {}

  /** Once for an installation: GitHub sends its owners here also when they only change which repositories it reaches. */
  async record(tx: TenantTx, person: Person, { id, accountLogin, repositorySelection }: Installation): Promise<void> {
    // Of two at once the second waits here, and then finds what the first wrote.
    await tx.query('select 1 from organization for no key update');
    const known = await tx.query(
      `select 1 from audit_entry where action = 'installation.linked' and actor ->> 'type' = 'person'
         and data ->> 'installationId' = $1 limit 1`,
      [String(id)],
    );
    if (known.length > 0) return;
    await this.audit.append(tx, {
      actor: { type: 'person', id: person.id, login: person.login },
      action: 'installation.linked',
      subject: accountLogin,
      data: { installationId: id, repositorySelection },
      repositoryIds: [],
    });
  }
}
