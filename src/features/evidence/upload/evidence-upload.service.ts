import { Injectable } from '@nestjs/common';
import type { CiCaller, RepositoryIds } from '../../../auth/caller.js';
import { KeyedQueue } from '../../../concurrency/keyed-queue.js';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { JobGroup } from '../../../domain/evidence/evidence.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { totalSize } from '../../../http/body/byte-blocks.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import type { Repository } from '../../../workspaces/repositories.repository.js';
import { ReleaseEvaluationService } from '../../releases/evaluation/release-evaluation.service.js';
import { versionNotFound } from '../../releases/releases.errors.js';
import { ReleasesQueries } from '../../releases/records/releases.queries.js';
import type { StoredReport } from '../evidence.dto.js';
import { commitLimitReached, evidenceComplete, idempotencyKeyUsed, tokenLimitReached } from '../evidence.errors.js';
import { EvidenceQueries, type ReceivedItem } from '../evidence.queries.js';
import { RunCoverageRepository } from '../run-coverage.repository.js';
import { EvidenceRepository, type NewEvidence } from '../evidence.repository.js';
import { ReportParserService } from '../parsing/report-parser.service.js';
import type { LocatedContent } from '../storage/report-contents.repository.js';
import { ReportStorageService } from '../storage/report-storage.service.js';
import { StorageQuotaService } from '../storage/storage-quota.service.js';
import {
  uploadActor,
  buildUploadContent,
  toOrigin,
  type ReadContent,
  type UploadedReport,
  type UploadedContent,
} from './upload-content.js';
import { FailureIdentificationService } from './failure-identification.service.js';
import { UploadTargetService, type Destination } from './upload-target.service.js';

/** The maximum number of uploads with one identity token. */
const MAX_UPLOADS_PER_TOKEN = 50;
/**
 * The maximum for one kind of credential and one commit of a release. Every verdict reads all uploads, and GitHub limits the size
 * of `evidence.json`, which lists all files. Keys and tokens are counted separately, so that no API key can block identity tokens.
 */
const MAX_PER_COMMIT = { uploads: 2_000, files: 10_000 };

/**
 * The number of uploads of one workspace that are stored at once. Each uses a connection to the database, and all workspaces share a few
 * of them.
 */
const STORED_AT_ONCE = 2;

export interface Upload {
  readonly org: string | null;
  readonly repository: string;
  readonly version: string;
  readonly pipeline: string;
  readonly environment: string;
  readonly job: string | null;
  readonly commitSha: string | null;
  readonly runUrl: string | null;
  readonly runAttempt: number | null;
  readonly jobGroup: JobGroup | null;
  readonly idempotencyKey: string | null;
  readonly content: UploadedContent;
  /** Computes the SHA-256 by which two uploads are the same. */
  readonly digest: (files: readonly UploadedReport[]) => string;
}

export interface UploadResult {
  readonly evidenceId: string;
  readonly releaseId: string;
  readonly repository: Repository;
  /** Whether the same upload was stored before. Then this one stored nothing. */
  readonly repeated: boolean;
  /** The stored items. */
  readonly items: readonly ReceivedItem[];
}

export type CountUpload = (repository: Pick<RepositoryIds, 'githubId'> | null) => Promise<void>;

/** Stores uploads: completely or not at all, once, and only for repositories of the credential. */
@Injectable()
export class EvidenceUploadService {
  /** Uploads of one release wait for each other here, because in the database each would wait with a connection. */
  private readonly ofRelease = new KeyedQueue(1);
  private readonly ofWorkspace = new KeyedQueue(STORED_AT_ONCE);

  constructor(
    private readonly database: Database,
    private readonly evidence: EvidenceRepository,
    private readonly failures: FailureIdentificationService,
    private readonly coverage: RunCoverageRepository,
    private readonly targets: UploadTargetService,
    private readonly parser: ReportParserService,
    private readonly storage: ReportStorageService,
    private readonly quota: StorageQuotaService,
    private readonly queries: EvidenceQueries,
    private readonly releases: ReleasesQueries,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly events: EventsRepository,
    private readonly jobs: JobsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Calls `count` with the repository before it parses anything; with null if the caller cannot upload for the repository. Ends with the
   * reason of `signal` when it aborts, unless the transaction that stores the upload has begun.
   */
  async upload(
    caller: CiCaller,
    upload: Upload,
    { count, signal }: { readonly count: CountUpload; readonly signal: AbortSignal },
  ): Promise<UploadResult> {
    if (upload.jobGroup !== null && upload.job === null && caller.kind === 'api_key') {
      throw new DomainError('invalid', 'job_group needs job, so that the jobs of the group can be counted.');
    }
    const repository = await this.targets.repositoryFor(caller, upload).catch(async (error: unknown) => {
      await count(null);
      throw error;
    });
    await count(repository);
    const content = buildUploadContent(upload.content, await this.parser.parse(caller.orgId, upload.content, signal));
    const destination = await this.targets.findTarget(repository, caller, upload, signal);
    const evidence = this.toEvidence(caller, upload, content, destination);
    const contents = content.reports.map(({ sha256, content: blocks }) => ({ sha256, size: totalSize(blocks) }));
    signal.throwIfAborted();
    await this.database.inTenant(caller.orgId, (tx) => this.quota.refuseBeyond(tx, contents));
    const located = await this.storage.store(
      caller.orgId,
      content.reports.map(({ sha256, content: blocks }) => ({ sha256, blocks })),
    );
    return this.inTurn(caller.orgId, evidence.releaseId, signal, async (tx) => {
      const saved = await this.save(tx, caller, upload, { evidence, located });
      // Only a repetition reads them, because a new upload holds locks that other transactions wait for.
      const items = saved.repeated
        ? await this.queries.listItems(tx, saved.evidenceId)
        : evidence.items.map(({ kind, metrics, failures }) => ({
            kind,
            environment: upload.environment,
            metrics,
            failures,
          }));
      return { ...saved, releaseId: destination.releaseId, repository, items };
    });
  }

  /** Runs a transaction that stores an upload, in its turn. An upload whose sender leaves while it waits uses no connection. */
  private async inTurn<T>(
    orgId: OrgId,
    releaseId: string,
    signal: AbortSignal,
    work: (tx: TenantTransaction) => Promise<T>,
  ): Promise<T> {
    const store = async (): Promise<T> => {
      signal.throwIfAborted();
      return this.database.inTenant(orgId, work);
    };
    const waiting = this.ofRelease.run(releaseId, () => this.ofWorkspace.run(orgId, store, signal), signal);
    return waiting.catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  }

  /** Lists the files of an upload of the caller's workspace, in the order of the upload. */
  async listReports(caller: CiCaller, evidenceId: string): Promise<readonly StoredReport[]> {
    return this.database.inTenant(caller.orgId, (tx) => this.queries.listReports(tx, evidenceId));
  }

  private toEvidence(
    caller: CiCaller,
    upload: Upload,
    { items, reports, flags, coveredLines }: ReadContent,
    { repository, releaseId, commit, runUrl }: Destination,
  ): NewEvidence {
    return {
      releaseId,
      repositoryId: repository.id,
      pipeline: upload.pipeline,
      environment: upload.environment,
      origin: toOrigin(caller, upload),
      statedJob: upload.job,
      jobGroup: upload.jobGroup,
      runUrl,
      commit,
      uploadedBy: caller.kind === 'api_key' ? { kind: 'api_key', keyId: caller.keyId } : tokenOrigin(caller),
      items,
      reports,
      flags,
      coveredLines,
      metrics: upload.content.metrics,
      reportNames: upload.content.reports.map(({ name }) => name),
      sha256: upload.digest(reports),
      receivedAt: this.clock.earliestNow(),
    };
  }

  /** Saves the evidence, the use of the token or key, the new verdict and the following jobs in one transaction. */
  private async save(
    tx: TenantTransaction,
    caller: CiCaller,
    upload: Upload,
    { evidence, located }: { readonly evidence: NewEvidence; readonly located: readonly LocatedContent[] },
  ): Promise<Pick<UploadResult, 'evidenceId' | 'repeated'>> {
    const earlier = await this.findEarlier(tx, caller, upload, evidence);
    if (earlier !== null) return { evidenceId: earlier, repeated: true };
    await this.assertNotShipped(tx, evidence.releaseId);
    const identified = await this.failures.identify(tx, evidence);
    const { id, created, storedBytes } = await this.evidence.insert(tx, evidence, located, identified);
    const coverageBytes = created ? await this.saveCoverage(tx, id, evidence) : 0;
    if (caller.kind === 'identity_token') {
      await this.evidence.useToken(tx, caller.jti, evidence.sha256, id, evidence.receivedAt);
    }
    if (upload.idempotencyKey !== null) {
      const { idempotencyKey: key } = upload;
      await this.evidence.saveKey(
        tx,
        { caller: uploadActor(caller), key, sha256: evidence.sha256, evidenceId: id },
        evidence.receivedAt,
      );
    }
    if (created) {
      const { repositoryId, releaseId } = evidence;
      await this.events.append(tx, { type: 'evidence.received', repositoryId, milestoneId: releaseId });
      await this.assertCommitLimit(tx, evidence);
      await this.evaluations.evaluateAndSave(tx, releaseId, { cause: 'evidence', actor: uploadActor(caller) });
      await this.jobs.enqueue(tx, 'refresh-release', { orgId: tx.orgId, releaseId, cause: 'evidence' });
      // Last, because near the quota it takes a lock for the workspace. Other uploads may hold the locks that are taken above.
      await this.quota.reserve(tx, storedBytes + coverageBytes);
    }
    return { evidenceId: id, repeated: !created };
  }

  /** Saves the covered lines of an upload of a run. Only uploads of one run are united. Returns their size in bytes. */
  private async saveCoverage(
    tx: TenantTransaction,
    id: string,
    { coveredLines, origin }: NewEvidence,
  ): Promise<number> {
    return coveredLines === null || origin.run === null ? 0 : this.coverage.saveUpload(tx, id, coveredLines);
  }

  /** Returns the id of the earlier upload with the same token and body or idempotency key. Locks the token and the key. */
  private async findEarlier(
    tx: TenantTransaction,
    caller: CiCaller,
    upload: Upload,
    evidence: NewEvidence,
  ): Promise<string | null> {
    if (caller.kind === 'identity_token') {
      const { evidenceId, writes } = await this.evidence.lockToken(tx, caller.jti, evidence.sha256);
      if (evidenceId !== null) return evidenceId;
      if (writes >= MAX_UPLOADS_PER_TOKEN) {
        throw tokenLimitReached(MAX_UPLOADS_PER_TOKEN);
      }
    }
    if (upload.idempotencyKey === null) return null;
    const earlier = await this.evidence.lockKey(tx, uploadActor(caller), upload.idempotencyKey, evidence.receivedAt);
    if (earlier === null) return null;
    if (earlier.sha256 !== evidence.sha256) {
      throw idempotencyKeyUsed();
    }
    return earlier.evidenceId;
  }

  private async assertCommitLimit(tx: TenantTransaction, evidence: NewEvidence): Promise<void> {
    const { uploads, files } = await this.evidence.measureCommit(tx, evidence);
    if (uploads <= MAX_PER_COMMIT.uploads && files <= MAX_PER_COMMIT.files) return;
    throw commitLimitReached(MAX_PER_COMMIT);
  }

  private async assertNotShipped(tx: TenantTransaction, releaseId: string): Promise<void> {
    const status = await this.releases.lockStatus(tx, releaseId);
    if (status === null) throw versionNotFound();
    if (status === 'shipped') throw evidenceComplete();
  }
}

const tokenOrigin = (caller: Extract<CiCaller, { kind: 'identity_token' }>): NewEvidence['uploadedBy'] => ({
  kind: 'identity_token',
  event: caller.event,
  workflow: caller.workflow,
  ref: caller.ref,
  checkRunId: caller.checkRunId,
});
