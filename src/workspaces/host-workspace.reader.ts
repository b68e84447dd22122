import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../database/database.js';

/** A workspace as far as the code host must be asked about its people. */
export interface WorkspaceOnHost {
  readonly githubId: number;
  /** The organization's login. */
  readonly login: string;
  /** Null while no installation of the app can speak for it: uninstalled, or suspended. */
  readonly installationId: number | null;
}

interface WorkspaceRow {
  readonly github_id: string;
  readonly login: string;
  readonly installation_id: string | null;
}

/** Says of which organization a transaction's workspace is, and by which installation the host can be asked about it. */
@Injectable()
export class HostWorkspaceReader {
  /** Null where there is no such workspace. */
  async find(tx: TenantTx): Promise<WorkspaceOnHost | null> {
    const [row] = await tx.query<WorkspaceRow>(
      `select github_id, login, case when suspended_at is null then installation_id end as installation_id from organization`,
    );
    if (!row) return null;
    const installationId = row.installation_id === null ? null : Number(row.installation_id);
    return { githubId: Number(row.github_id), login: row.login, installationId };
  }
}
