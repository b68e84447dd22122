import { Injectable } from '@nestjs/common';
import type { CiCaller } from '../../auth/caller.js';
import { Clock } from '../../clock/clock.js';
import { Database, type TenantTx } from '../../database/database.js';
import { DomainError } from '../../http/domain-error.js';
import { RefreshRequests } from '../releases/refresh-requests.recorder.js';
import { ReleaseEvaluation } from '../releases/release-evaluation.service.js';
import { ReleasesReader } from '../releases/releases.reader.js';
import { actorOf, runOf } from './ci-run.js';
import type { PlacedContent } from '../report-storage/report-contents.recorder.js';
import { ReportStorage } from '../report-storage/report-storage.service.js';
import { EvidenceRepository, type NewEvidence } from './evidence.repository.js';
import type { KeptReport } from './kept-report.js';
import { KeptReportsReader } from './kept-reports.reader.js';
import { ReportReader } from './report-reader.service.js';
import { evaluateUpload, type ReadContent, type StoredReport, type UploadedContent } from './upload-content.js';
import { UploadDestinations, type Destination } from './upload-destinations.service.js';

/** One job of one run may hold one token, and uploads each of its reports once. */
const WRITES_OF_A_TOKEN = 50;

export interface Upload {
  readonly org: string | null;
  readonly repository: string;
  readonly version: string;
  readonly pipeline: string;
  readonly environment: string;
  readonly job: string | null;
  readonly commitSha: string | null;
  readonly runUrl: string | null;
  readonly idempotencyKey: string | null;
  readonly content: UploadedContent;
  /** SHA-256 over all that makes two uploads the same one. */
  readonly digest: (files: readonly StoredReport[]) => string;
}

export interface Receipt {
  readonly evidenceId: string;
  /** The same upload was received before, and this one added nothing. */
  readonly repeated: boolean;
}

/** Takes evidence in: whole, once, and for the repository that the credential speaks for. */
@Injectable()
export class EvidenceUploads {
  constructor(
    private readonly database: Database,
    private readonly evidence: EvidenceRepository,
    private readonly destinations: UploadDestinations,
    private readonly reader: ReportReader,
    private readonly storage: ReportStorage,
    private readonly reports: KeptReportsReader,
    private readonly releases: ReleasesReader,
    private readonly evaluations: ReleaseEvaluation,
    private readonly refreshes: RefreshRequests,
    private readonly clock: Clock,
  ) {}

  async receive(caller: CiCaller, upload: Upload): Promise<Receipt> {
    const repository = await this.destinations.repositoryFor(caller, upload);
    const content = evaluateUpload(upload.content, await this.reader.read(upload.content));
    const destination = await this.destinations.destinationIn(repository, caller, upload);
    const evidence = this.evidenceOf(caller, upload, content, destination);
    const placed = await this.storage.place(
      caller.orgId,
      content.reports.map(({ sha256, content: blocks }) => ({ sha256, blocks })),
    );
    return this.database.inTenant(caller.orgId, (tx) => this.keep(tx, caller, upload, { evidence, placed }));
  }

  /** The files of an upload of the caller's workspace, in the order in which they came. */
  async listReports(caller: CiCaller, evidenceId: string): Promise<readonly KeptReport[]> {
    return this.database.inTenant(caller.orgId, (tx) => this.reports.list(tx, evidenceId));
  }

  private evidenceOf(
    caller: CiCaller,
    upload: Upload,
    { pieces, reports, flags }: ReadContent,
    { repository, releaseId, commit, runUrl }: Destination,
  ): NewEvidence {
    return {
      releaseId,
      repositoryId: repository.id,
      pipeline: upload.pipeline,
      environment: upload.environment,
      // Where no job is named, the names of the files tell the jobs of a matrix apart.
      job:
        upload.job ??
        upload.content.files
          .map(({ filename }) => filename)
          .sort()
          .join('\n'),
      run: runOf(caller, upload.runUrl),
      runUrl,
      commit,
      uploadedBy: caller.kind === 'api_key' ? { kind: 'api_key', keyId: caller.keyId } : tokenOrigin(caller),
      pieces,
      reports,
      flags,
      metrics: upload.content.metrics,
      reportNames: Object.keys(upload.content.reports),
      sha256: upload.digest(reports),
      receivedAt: this.clock.now(),
    };
  }

  /** Everything in one transaction: evidence, token use, the release's new standing, and the work that follows. */
  private async keep(
    tx: TenantTx,
    caller: CiCaller,
    upload: Upload,
    { evidence, placed }: { readonly evidence: NewEvidence; readonly placed: readonly PlacedContent[] },
  ): Promise<Receipt> {
    const earlier = await this.findEarlier(tx, caller, upload, evidence);
    if (earlier !== null) return { evidenceId: earlier, repeated: true };
    await this.refuseShipped(tx, evidence.releaseId);
    const { id, created } = await this.evidence.insert(tx, evidence, placed);
    if (caller.kind === 'identity_token') {
      await this.evidence.useToken(tx, caller.jti, evidence.sha256, id, evidence.receivedAt);
    }
    if (upload.idempotencyKey !== null) {
      const { idempotencyKey: key } = upload;
      await this.evidence.rememberKey(
        tx,
        { caller: actorOf(caller), key, sha256: evidence.sha256, evidenceId: id },
        evidence.receivedAt,
      );
    }
    if (created) {
      const { releaseId } = evidence;
      await this.evaluations.reevaluate(tx, releaseId, { cause: 'evidence', actor: actorOf(caller) });
      await this.refreshes.askFor(tx, [releaseId], 'evidence');
    }
    return { evidenceId: id, repeated: !created };
  }

  /** The evidence that the same token or the same idempotency key brought before; their other uses wait meanwhile. */
  private async findEarlier(
    tx: TenantTx,
    caller: CiCaller,
    upload: Upload,
    evidence: NewEvidence,
  ): Promise<string | null> {
    if (caller.kind === 'identity_token') {
      const { evidenceId, writes } = await this.evidence.lockToken(tx, caller.jti, evidence.sha256);
      if (evidenceId !== null) return evidenceId;
      if (writes >= WRITES_OF_A_TOKEN) {
        throw new DomainError(
          'rate_limited',
          `This token has made its ${WRITES_OF_A_TOKEN} uploads; ask for another one.`,
          {
            retryAfterSeconds: 1,
          },
        );
      }
    }
    if (upload.idempotencyKey === null) return null;
    const earlier = await this.evidence.lockKey(tx, actorOf(caller), upload.idempotencyKey, evidence.receivedAt);
    if (earlier === null) return null;
    if (earlier.sha256 !== evidence.sha256) {
      throw new DomainError('conflict', 'This Idempotency-Key was used for another upload.');
    }
    return earlier.evidenceId;
  }

  private async refuseShipped(tx: TenantTx, releaseId: string): Promise<void> {
    const standing = await this.releases.lockStanding(tx, releaseId);
    if (standing === null) throw new DomainError('not_found', 'The repository has no release of this version.');
    if (standing === 'shipped') throw new DomainError('conflict', 'The release is shipped and takes no more evidence.');
  }
}

const tokenOrigin = (caller: Extract<CiCaller, { kind: 'identity_token' }>): NewEvidence['uploadedBy'] => ({
  kind: 'identity_token',
  event: caller.event,
  workflow: caller.workflow,
  ref: caller.ref,
  checkRunId: caller.checkRunId,
});
