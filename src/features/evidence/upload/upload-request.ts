import type { EvidenceKind } from '../../../domain/evidence/evidence.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import type { UploadedFile } from '../parsing/report-parsing.js';
import type { Upload } from './evidence-upload.service.js';
import type { ReadBody } from './upload-body.js';

/** What every upload says of itself, whatever way it comes. */
interface UploadFields {
  readonly org?: string;
  readonly repo: string;
  readonly version: string;
  readonly pipeline: string;
  readonly environment?: string;
  readonly job?: string;
  readonly run_attempt?: number;
  readonly job_group?: string;
  readonly job_total?: number;
  readonly metrics?: object;
  readonly reports?: object;
  readonly commit_sha?: string;
  readonly kind?: EvidenceKind;
  readonly run_url?: string;
}

/** An upload as it came, by whichever route. */
interface UploadRequest {
  /** Of `metrics` and `reports` only that they are there; `free` has what they say. */
  readonly fields: UploadFields;
  readonly free: Pick<ReadBody, 'metrics' | 'reports'>;
  /** Null where the sender says nothing of files. */
  readonly files: readonly UploadedFile[] | null;
  readonly idempotencyKey: string | undefined;
  readonly digest: Upload['digest'];
}

/** The upload that the service takes; refuses one that says nothing. */
export function uploadOf({ fields, free, files, idempotencyKey, digest }: UploadRequest): Upload {
  const { kind, metrics, reports } = fields;
  // A member that is null says nothing, as one that is left out.
  if (!metrics && !reports && !files) {
    throw new DomainError('invalid', 'At least one of metrics, reports and files is needed.');
  }
  if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw new DomainError('invalid', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
  return {
    org: fields.org ?? null,
    repository: fields.repo,
    version: fields.version,
    pipeline: fields.pipeline,
    environment: fields.environment ?? 'ci',
    job: fields.job ?? null,
    commitSha: fields.commit_sha ?? null,
    runUrl: fields.run_url ?? null,
    runAttempt: fields.run_attempt ?? null,
    jobGroup: jobGroupOf(fields),
    idempotencyKey: idempotencyKey ?? null,
    content: { kind, ...free, files: files ?? [] },
    digest,
  };
}

/** A group without its size could never be told to be complete. */
function jobGroupOf({ job_group: name, job_total: total }: UploadFields): Upload['jobGroup'] {
  // A member that is null says nothing, as one that is left out.
  if (name === undefined || name === null) {
    if (total === undefined || total === null) return null;
    throw new DomainError('invalid', 'job_total needs job_group.');
  }
  if (total === undefined || total === null) throw new DomainError('invalid', 'job_group needs job_total.');
  return { name, total };
}
