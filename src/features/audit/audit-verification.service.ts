import { sha256 } from '../../crypto/digests.js';
import type { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { type ChainError, type ChainHead, ChainVerifier } from '../../domain/audit/hash-chain.js';
import type { AuditedWorkspace, WorkspacesQueries } from '../../workspaces/workspaces.queries.js';
import type { AuditRepository } from './audit.repository.js';

/** A head of a workspace's chain that somebody kept outside the database. */
export interface TrustedChainHead extends ChainHead {
  readonly orgId: string;
}

/** What became of one workspace's chain. */
export interface ChainReport extends AuditedWorkspace {
  /** The last entry that is as it was written. */
  readonly head: ChainHead;
  /** Null where the whole chain is intact. */
  readonly fault: ChainError | null;
}

const BATCH = 1_000;

/** Recomputes the audit log's hashes, in constant memory and beside a running service. */
export class AuditVerificationService {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditRepository,
    private readonly workspaces: WorkspacesQueries,
  ) {}

  /** A report for each workspace; one that is not there any more has lost every head that was kept of it. */
  async *verify(kept: readonly TrustedChainHead[]): AsyncGenerator<ChainReport> {
    const workspaces = await this.workspaces.list();
    for (const { orgId, login } of workspaces) {
      yield this.verifyOne({ orgId, login }, keptOf(orgId, kept));
    }
    const known = new Set<string>(workspaces.map(({ orgId }) => orgId));
    const gone = new Set(kept.map(({ orgId }) => orgId).filter((orgId) => !known.has(orgId)));
    for (const orgId of gone) {
      const walk = new ChainVerifier(orgId, sha256, keptOf(orgId, kept));
      yield { orgId: orgId as OrgId, login: '?', head: walk.head, fault: walk.finish(0) };
    }
  }

  private async verifyOne(workspace: AuditedWorkspace, kept: readonly ChainHead[]): Promise<ChainReport> {
    const walk = new ChainVerifier(workspace.orgId, sha256, kept);
    for (let isWhole = true, more = true; isWhole && more;) {
      // Each batch in a transaction of its own: what was read cannot change meanwhile, and nothing is held up.
      const batch = await this.database.inTenant(workspace.orgId, (tx) =>
        this.audit.listStored(tx, walk.head.sequence, BATCH),
      );
      isWhole = batch.every((entry) => walk.add(entry));
      more = batch.length === BATCH;
    }
    const { sequence } = walk.head;
    const stored = await this.database.inTenant(workspace.orgId, (tx) => this.audit.countUpTo(tx, sequence));
    return { ...workspace, head: walk.head, fault: walk.finish(stored) };
  }
}

const keptOf = (orgId: string, kept: readonly TrustedChainHead[]): readonly ChainHead[] =>
  kept.filter((head) => head.orgId === orgId);
