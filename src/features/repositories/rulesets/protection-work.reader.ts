import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import { InstallationTiers } from '../../../workspaces/installation-tiers.reader.js';
import { ReposReader } from '../../../workspaces/repos.reader.js';
import { KnownPolicyReader } from '../../releases/facts/known-policy.reader.js';
import type { ProtectionWork } from './protection-work.js';
import { ProtectionsRepository } from './protections.repository.js';

/** Gathers what is known of a repository whose branches are to be protected. */
@Injectable()
export class ProtectionWorkReader {
  constructor(
    private readonly repos: ReposReader,
    private readonly protections: ProtectionsRepository,
    private readonly policies: KnownPolicyReader,
    private readonly tiers: InstallationTiers,
  ) {}

  /** Null where there is no such repository, or nobody has asked for its protection. */
  async find(tx: TenantTx, repositoryId: string): Promise<ProtectionWork | null> {
    const repository = await this.repos.find(tx, repositoryId);
    const record = await this.protections.find(tx, repositoryId);
    if (!repository || !record) return null;
    const { administers } = await this.tiers.of(tx);
    const policy = await this.policies.find(tx, repositoryId);
    return { repository, record, policy, grants: { administers, publishesChecks: await this.publishesChecks(tx) } };
  }

  /** Expected of an installation that was not read yet, as its tier is. */
  private async publishesChecks(tx: TenantTx): Promise<boolean> {
    const [row] = await tx.query<{ readonly publishes: boolean }>(
      `select granted_permissions is null or coalesce(granted_permissions ->> 'checks', '') = 'write' as publishes
       from organization`,
    );
    return row?.publishes ?? true;
  }
}
