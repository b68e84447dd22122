import { Injectable } from '@nestjs/common';
import type { OrgId } from '../../database/ids.js';
import type { CiCaller } from '../../auth/caller.js';
import { mayUploadFor } from '../../auth/repository-rights.js';
import { Clock } from '../../clock/clock.js';
import { Database, type TenantTx } from '../../database/database.js';
import { sha256 } from '../../digest/sha256.js';
import { mayUpload } from '../../domain/evidence/upload-rights.js';
import type { Observation } from '../../domain/release/facts.js';
import { DomainError } from '../../http/domain-error.js';
import { Jobs } from '../../jobs/jobs.js';
import { ObservationsReader } from '../observations/observations.reader.js';
import { ReleaseDiscovery } from '../releases/release-discovery.service.js';
import { ReleaseEvaluation } from '../releases/release-evaluation.service.js';
import { ReleaseRefresh } from '../releases/release-refresh.service.js';
import { ReleasesReader } from '../releases/releases.reader.js';
import type { GovernedRepository } from '../repos/governed-repository.js';
import { ReposReader } from '../repos/repos.reader.js';
import { runOf } from './ci-run.js';
import { EvidenceRepository, type NewEvidence } from './evidence.repository.js';
import { readUpload, type ReadContent, type UploadedContent } from './upload-content.js';

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
  readonly body: string;
}

export interface Receipt {
  readonly evidenceId: string;
  /** The same upload was received before, and this one added nothing. */
  readonly repeated: boolean;
}

interface Destination {
  readonly repository: GovernedRepository;
  readonly releaseId: string;
}

interface BoundCommit {
  readonly sha: string;
  /** Who named the commit. */
  readonly source: 'token' | 'body' | 'observed';
}

/** Takes evidence in: whole, once, and for the repository that the credential speaks for. */
@Injectable()
export class EvidenceUploads {
  constructor(
    private readonly database: Database,
    private readonly evidence: EvidenceRepository,
    private readonly observations: ObservationsReader,
    private readonly repos: ReposReader,
    private readonly releases: ReleasesReader,
    private readonly discovery: ReleaseDiscovery,
    private readonly evaluations: ReleaseEvaluation,
    private readonly refresh: ReleaseRefresh,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  async receive(caller: CiCaller, upload: Upload): Promise<Receipt> {
    const repository = await this.repositoryFor(caller, upload);
    const content = readUpload(upload.content);
    const releaseId = await this.releaseFor(caller.orgId, repository, upload.version);
    const destination = { repository, releaseId };
    const commit = await this.commitFor(caller, upload, releaseId);
    const evidence = this.evidenceOf(caller, upload, content, destination, commit);
    return this.database.inTenant(caller.orgId, (tx) => this.keep(tx, caller, upload, evidence));
  }

  /** The repository that the upload names, if the credential may upload for it. */
  private async repositoryFor(caller: CiCaller, upload: Upload): Promise<GovernedRepository> {
    return this.database.inTenant(caller.orgId, async (tx) => {
      const repository = await this.repos.findByName(tx, upload.repository);
      const org = repository?.org ?? (await this.repos.orgLogin(tx));
      if (upload.org !== null && upload.org.toLowerCase() !== org.toLowerCase()) {
        throw new DomainError('forbidden', 'org is not the organization of this credential.');
      }
      if (!repository) throw new DomainError('not_found', 'The workspace has no such repository.');
      if (!mayUploadFor(caller, repository)) {
        throw new DomainError('forbidden', 'This credential may not upload evidence for this repository.');
      }
      if (caller.kind === 'identity_token' && !mayUpload(caller.event, await this.evidenceEvents(tx, repository.id))) {
        throw new DomainError('forbidden', `Runs of the event "${caller.event}" may not upload evidence.`);
      }
      return repository;
    });
  }

  private async evidenceEvents(tx: TenantTx, repositoryId: string): Promise<readonly string[]> {
    const [observation] = await this.observations.list(tx, repositoryId, [{ kind: 'policy', key: '' }]);
    const state = (observation as Observation<'policy'> | undefined)?.value;
    return state?.status === 'valid' ? state.policy.evidenceEvents : [];
  }

  /** The release of this version; the host is asked once, because the sync may not have seen the milestone yet. */
  private async releaseFor(orgId: OrgId, repository: GovernedRepository, version: string): Promise<string> {
    const find = (): Promise<string | null> =>
      this.database.inTenant(orgId, (tx) => this.releases.findByVersion(tx, repository.id, version));
    const known = await find();
    if (known !== null) return known;
    const found = (await this.discovery.lookFor(orgId, repository.id, version)) ? await find() : null;
    if (found === null) throw new DomainError('not_found', 'The repository has no release of this version.');
    return found;
  }

  /** Which commit the evidence speaks of. A key's upload that names none is bound to what would ship now. */
  private async commitFor(caller: CiCaller, upload: Upload, releaseId: string): Promise<BoundCommit> {
    if (caller.kind === 'identity_token') return { sha: caller.sha, source: 'token' };
    if (upload.commitSha !== null) return { sha: upload.commitSha, source: 'body' };
    const { evaluation } = await this.refresh.refresh(caller.orgId, releaseId, {
      cause: 'evidence',
      actor: actorOf(caller),
    });
    const sha = evaluation?.verdict.candidateSha ?? evaluation?.verdict.developmentHead;
    if (!sha)
      throw new DomainError('unprocessable', 'No commit is known that this could be evidence of; send commit_sha.');
    return { sha, source: 'observed' };
  }

  private evidenceOf(
    caller: CiCaller,
    upload: Upload,
    { pieces, reports, flags }: ReadContent,
    { repository, releaseId }: Destination,
    commit: BoundCommit,
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
      runUrl: upload.runUrl ?? runUrlOf(caller, repository),
      commit,
      uploadedBy: caller.kind === 'api_key' ? { kind: 'api_key', keyId: caller.keyId } : tokenOrigin(caller),
      pieces,
      reports,
      flags,
      metrics: upload.content.metrics,
      reportNames: Object.keys(upload.content.reports),
      sha256: sha256(upload.body),
      receivedAt: this.clock.now(),
    };
  }

  /** Everything in one transaction: evidence, token use, the release's new standing, and the work that follows. */
  private async keep(tx: TenantTx, caller: CiCaller, upload: Upload, evidence: NewEvidence): Promise<Receipt> {
    const earlier = await this.findEarlier(tx, caller, upload, evidence);
    if (earlier !== null) return { evidenceId: earlier, repeated: true };
    await this.refuseShipped(tx, evidence.releaseId);
    const { id, created } = await this.evidence.insert(tx, evidence);
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
      await this.jobs.add(
        tx,
        'refresh-release',
        { orgId: tx.orgId, releaseId, cause: 'evidence' },
        { key: `refresh:${releaseId}` },
      );
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

const actorOf = (caller: CiCaller): string =>
  caller.kind === 'api_key' ? `key ${caller.keyId}` : `run ${caller.runId} of ${caller.repository}`;

const tokenOrigin = (caller: Extract<CiCaller, { kind: 'identity_token' }>): NewEvidence['uploadedBy'] => ({
  kind: 'identity_token',
  event: caller.event,
  workflow: caller.workflow,
  ref: caller.ref,
  checkRunId: caller.checkRunId,
});

const runUrlOf = (caller: CiCaller, { org, name }: GovernedRepository): string | null =>
  caller.kind === 'api_key' ? null : `/${org}/${name}/actions/runs/${caller.runId}/attempts/${caller.runAttempt}`;
