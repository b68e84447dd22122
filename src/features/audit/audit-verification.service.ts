import { sha256 } from '../../crypto/digests.js';
import type { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { type ChainError, type ChainHead, ChainVerifier } from '../../domain/audit/hash-chain.js';
import type { AuditedWorkspace, WorkspacesQueries } from '../../workspaces/workspaces.queries.js';
import type { AuditRepository } from './audit.repository.js';

/** A head of a workspace's chain that was saved outside the database. */
export interface TrustedChainHead extends ChainHead {
  readonly orgId: string;
}

/** The result of the verification of one workspace's chain. */
export interface ChainReport extends AuditedWorkspace {
  /** The last intact entry. */
  readonly head: ChainHead;
  /** Null if the whole chain is intact. */
  readonly fault: ChainError | null;
}

const BATCH = 1_000;

/** Recomputes the hashes of the audit logs in constant memory, also while the service runs. */
export class AuditVerificationService {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditRepository,
    private readonly workspaces: WorkspacesQueries,
  ) {}

  /** Yields a report for each workspace, and for each workspace of a trusted head that does not exist any more. */
  async *verify(trusted: readonly TrustedChainHead[]): AsyncGenerator<ChainReport> {
    const workspaces = await this.workspaces.list();
    for (const { orgId, login } of workspaces) {
      yield this.verifyOne({ orgId, login }, selectHeads(orgId, trusted));
    }
    const known = new Set<string>(workspaces.map(({ orgId }) => orgId));
    const gone = new Set(trusted.map(({ orgId }) => orgId).filter((orgId) => !known.has(orgId)));
    for (const orgId of gone) {
      const walk = new ChainVerifier(orgId, sha256, selectHeads(orgId, trusted));
      yield { orgId: orgId as OrgId, login: '?', head: walk.head, fault: walk.finish(0) };
    }
  }

  private async verifyOne(workspace: AuditedWorkspace, trusted: readonly ChainHead[]): Promise<ChainReport> {
    const walk = new ChainVerifier(workspace.orgId, sha256, trusted);
    for (let isWhole = true, more = true; isWhole && more;) {
      // One transaction for each batch. Stored entries cannot change, and no other transaction waits.
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

const selectHeads = (orgId: string, trusted: readonly TrustedChainHead[]): readonly ChainHead[] =>
  trusted.filter((head) => head.orgId === orgId);
