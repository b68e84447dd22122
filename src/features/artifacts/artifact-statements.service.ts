import { HttpStatus, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { CiCaller } from '../../auth/caller.js';
import { repositoryRateLimitKey } from '../../auth/rate-limit-key.js';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import type { ArtifactBinding } from '../../domain/artifact/artifact.js';
import { canProveFromEvent } from '../../domain/artifact/provenance.js';
import { EventsRepository } from '../../events/events.repository.js';
import { parseJsonBody, type UnreadJson } from '../../http/body/json-body.js';
import { sliceJsonValue } from '../../http/body/json-scanner.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { RateLimitService } from '../../http/rate-limit/rate-limit.service.js';
import { createSenderSignal } from '../../http/sender-signal.js';
import { createValidationPipe } from '../../http/validation/validation.pipe.js';
import { JobsService } from '../../jobs/jobs.service.js';
import type { Repository } from '../../workspaces/repositories.repository.js';
import { WorkspacesQueries } from '../../workspaces/workspaces.queries.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { evidenceComplete, tokenLimitReached } from '../evidence/evidence.errors.js';
import { StorageQuotaService } from '../evidence/storage/storage-quota.service.js';
import { UploadTargetService } from '../evidence/upload/upload-target.service.js';
import { ReleaseEvaluationService } from '../releases/evaluation/release-evaluation.service.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import { versionNotFound } from '../releases/releases.errors.js';
import { ArtifactReceipt, ArtifactStatement } from './artifacts.dto.js';
import {
  ArtifactsRepository,
  MAX_BUNDLE_BYTES,
  MAX_BUNDLES,
  type NewArtifact,
  type NewBundle,
  toNewBundle,
} from './artifacts.repository.js';

const MAX_ARTIFACTS = 100;
/** The maximum number of artifacts that one identity token states. Repetitions do not count. */
const MAX_ARTIFACTS_PER_TOKEN = 50;
/** A bundle and the other members. */
const MAX_BODY_BYTES = MAX_BUNDLE_BYTES + 65_536;
/** A bundle has a few hundred. */
const MAX_VALUES = 20_000;
/** The approximate size of the rows of an artifact, including its index entries. */
const ROW_BYTES = 1_024;

/** Stores what CI states about the digests of its builds. */
@Injectable()
export class ArtifactStatementsService {
  private readonly validation = createValidationPipe();

  constructor(
    private readonly database: Database,
    private readonly artifacts: ArtifactsRepository,
    private readonly targets: UploadTargetService,
    private readonly releases: ReleasesQueries,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly quota: StorageQuotaService,
    private readonly events: EventsRepository,
    private readonly audit: AuditLogService,
    private readonly jobs: JobsService,
    private readonly workspaces: WorkspacesQueries,
    private readonly limits: RateLimitService,
    private readonly clock: Clock,
  ) {}

  /** Stores a statement once. A bundle is verified by a job. Sets the status 200 for a repetition, else 201. */
  async receive(caller: CiCaller, body: UnreadJson | undefined, reply: FastifyReply): Promise<ArtifactReceipt> {
    const signal = createSenderSignal(reply.raw);
    // The guard has counted the request of a run.
    const count = async (repository: Repository | null): Promise<void> => {
      if (caller.kind === 'api_key')
        await this.limits.consume('upload', repositoryRateLimitKey(caller.orgId, repository), reply);
    };
    let isCounted = false;
    try {
      const { statement, bytes } = await this.read(body);
      const address = {
        org: null,
        repository: statement.repo,
        version: statement.version,
        commitSha: statement.commit_sha ?? null,
        runUrl: null,
      };
      const repository = await this.targets.repositoryFor(caller, address);
      isCounted = true;
      await count(repository);
      const bundle = readBundle(statement, bytes);
      assertBinds(caller, bundle);
      const { releaseId, commit } = await this.targets.findTarget(repository, caller, address, signal);
      signal.throwIfAborted();
      const artifact: NewArtifact = {
        releaseId,
        repositoryId: repository.id,
        name: statement.name,
        digest: statement.digest,
        commit,
        runId: caller.kind === 'identity_token' ? String(caller.runId) : null,
        tokenId: caller.kind === 'identity_token' ? caller.jti : null,
        statedBy:
          caller.kind === 'api_key'
            ? { kind: 'api_key', keyId: caller.keyId }
            : { kind: 'identity_token', event: caller.event, workflow: caller.workflow, ref: caller.ref },
        receivedAt: this.clock.earliestNow(),
      };
      const { created, ...receipt } = await this.database.inTenant(caller.orgId, (tx) =>
        this.save(tx, artifact, bundle),
      );
      reply.status(created ? HttpStatus.CREATED : HttpStatus.OK);
      return receipt;
    } catch (error) {
      if (!isCounted) await count(null);
      throw error;
    }
  }

  private async read(
    body: UnreadJson | undefined,
  ): Promise<{ readonly statement: ArtifactStatement; readonly bytes: Buffer }> {
    let size = 0;
    const blocks = await body?.read((bytes) => {
      size += bytes;
      if (size > MAX_BODY_BYTES) throw new DomainError('too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
    });
    if (!blocks) throw new DomainError('invalid', 'The body must be a JSON object.');
    const bytes = Buffer.concat(blocks);
    const parsed = parseJsonBody(bytes, { values: MAX_VALUES });
    const metatype = ArtifactStatement;
    const statement = (await this.validation.transform(parsed, { type: 'body', metatype })) as ArtifactStatement;
    return { statement, bytes };
  }

  private async save(
    tx: TenantTransaction,
    artifact: NewArtifact,
    bundle: NewBundle | null,
  ): Promise<ArtifactReceipt & { readonly created: boolean }> {
    const { releaseId, tokenId } = artifact;
    const statedBefore = tokenId === null ? 0 : await this.artifacts.lockToken(tx, tokenId);
    // The lock of the release also orders the counts of concurrent statements.
    const status = await this.releases.lockStatus(tx, releaseId);
    if (status === null) throw versionNotFound();
    if (status === 'shipped') throw evidenceComplete();
    const { id, created } = await this.artifacts.upsert(tx, artifact);
    if (created && statedBefore >= MAX_ARTIFACTS_PER_TOKEN) throw tokenLimitReached(MAX_ARTIFACTS_PER_TOKEN);
    const added = bundle && (await this.artifacts.addBundle(tx, id, bundle, artifact.receivedAt));
    if (added === 'created' || added === 'again') {
      await this.jobs.enqueue(tx, 'verify-artifact', { orgId: tx.orgId, artifactId: id });
    }
    // Also for a repetition: a build that attested its artifact after it stated it may ask for another search.
    if ((await this.workspaces.getPermissions(tx)).readsAttestations) {
      await this.jobs.enqueue(tx, 'find-attestations', { orgId: tx.orgId, artifactId: id });
    }
    const binding = await this.artifacts.writeBinding(tx, id);
    const isNew = created || added === 'created';
    if (isNew) await this.follow(tx, artifact, id, binding);
    const bundleBytes = added === 'created' ? (bundle?.bytes.length ?? 0) : 0;
    if (isNew) await this.assertLimits(tx, releaseId);
    // Last, because near the quota it takes a lock for the workspace.
    if (isNew) await this.quota.reserve(tx, (created ? ROW_BYTES : 0) + bundleBytes);
    return { artifactId: id, binding, created: isNew };
  }

  /** Evaluates the release, and appends the event and the audit entry. */
  private async follow(
    tx: TenantTransaction,
    artifact: NewArtifact,
    id: string,
    binding: ArtifactBinding,
  ): Promise<void> {
    const { releaseId, repositoryId, name, digest, commit, statedBy } = artifact;
    await this.events.append(tx, { type: 'artifact.updated', repositoryId, milestoneId: releaseId });
    await this.evaluations.evaluateAndSave(tx, releaseId, { cause: 'artifact', actor: 'ci' });
    await this.jobs.enqueue(tx, 'refresh-release', { orgId: tx.orgId, releaseId, cause: 'artifact' });
    await this.audit.append(tx, {
      actor: { type: 'service' },
      action: 'artifact.stated',
      subject: `${name}@${digest}`,
      data: { artifactId: id, milestoneId: releaseId, repositoryId, commitSha: commit.sha, binding, statedBy },
      repositoryIds: [repositoryId],
    });
  }

  private async assertLimits(tx: TenantTransaction, releaseId: string): Promise<void> {
    const { artifacts, bundles } = await this.artifacts.countOfRelease(tx, releaseId);
    if (artifacts <= MAX_ARTIFACTS && bundles <= MAX_BUNDLES) return;
    throw new DomainError(
      'too_large',
      `A release can have at most ${MAX_ARTIFACTS} artifacts and ${MAX_BUNDLES} bundles.`,
    );
  }
}

/** Returns the bundle of the body with the bytes as they were sent; null if it has none. */
function readBundle({ bundle }: ArtifactStatement, body: Buffer): NewBundle | null {
  if (!bundle) return null;
  const read = toNewBundle(sliceJsonValue(new TextDecoder().decode(body), ['bundle']));
  if (read.bytes.length > MAX_BUNDLE_BYTES) {
    throw new DomainError('too_large', `bundle is larger than ${MAX_BUNDLE_BYTES} bytes.`);
  }
  return read;
}

/** Rejects a statement that nothing binds to a commit. */
function assertBinds(caller: CiCaller, bundle: NewBundle | null): void {
  if (caller.kind === 'api_key') {
    if (bundle === null) {
      throw new DomainError(
        'unprocessable',
        'An API key does not prove a build. Send the provenance bundle, or use an identity token.',
      );
    }
    return;
  }
  // Whether other events may upload was checked with the repository.
  if (!canProveFromEvent(caller.event, [caller.event])) {
    throw new DomainError('forbidden', `Runs of the event "${caller.event}" cannot state artifacts.`);
  }
}
