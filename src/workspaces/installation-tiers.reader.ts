import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../database/database.js';

/** What the app may do in an organization beyond what every installation of it must allow. */
export interface InstallationTier {
  /** `minimal`: some of it is done with a person's own token. */
  readonly name: 'full' | 'minimal';
  readonly writesWorkflows: boolean;
  readonly administers: boolean;
}

/** Tells the tier of a workspace's installation. */
@Injectable()
export class InstallationTiers {
  /**
   * By what its owner had granted when the installation was last read. Of one that was not read yet everything is
   * expected: the host says so soon enough where something is not granted.
   */
  async of(tx: TenantTx): Promise<InstallationTier> {
    const [row] = await tx.query<{ readonly granted: Readonly<Record<string, string>> | null }>(
      'select granted_permissions as granted from organization',
    );
    return tierOf(row?.granted ?? null);
  }
}

function tierOf(granted: Readonly<Record<string, string>> | null): InstallationTier {
  const writesWorkflows = granted === null || granted['workflows'] === 'write';
  const administers = granted === null || granted['administration'] === 'write';
  return { name: writesWorkflows && administers ? 'full' : 'minimal', writesWorkflows, administers };
}
