import { Injectable } from '@nestjs/common';
import { type TenantTransaction } from '../database/database.js';

/** The optional permissions of an installation of the app. */
export interface InstallationPermissions {
  /** `minimal`: some actions need a user's own token. */
  readonly name: 'full' | 'minimal';
  readonly writesWorkflows: boolean;
  readonly administers: boolean;
  /** Whether the app may send verdicts about deployments that wait for its protection rule. */
  readonly decidesDeployments: boolean;
}

/** Reads the permissions of a workspace's installation. */
@Injectable()
export class InstallationPermissionsQueries {
  /** Finds the installation whose stored permission to read Actions differs from the given one. */
  async findOtherInstallation(tx: TenantTransaction, readsActions: boolean): Promise<number | null> {
    const [other] = await tx.query<{ readonly installation_id: string }>(
      'select installation_id from organization where installation_id is not null and reads_actions <> $1',
      [readsActions],
    );
    return other === undefined ? null : Number(other.installation_id);
  }

  /**
   * Returns the permissions at the last read of the installation. Before the first read all permissions are assumed,
   * because GitHub rejects an action without permission anyway.
   */
  async get(tx: TenantTransaction): Promise<InstallationPermissions> {
    const [row] = await tx.query<{ readonly granted: Readonly<Record<string, string>> | null }>(
      'select granted_permissions as granted from organization',
    );
    return toPermissions(row?.granted ?? null);
  }
}

function toPermissions(granted: Readonly<Record<string, string>> | null): InstallationPermissions {
  const writesWorkflows = granted === null || granted['workflows'] === 'write';
  const administers = granted === null || granted['administration'] === 'write';
  const decidesDeployments = granted === null || granted['deployments'] === 'write';
  const name = writesWorkflows && administers ? 'full' : 'minimal';
  return { name, writesWorkflows, administers, decidesDeployments };
}
