import type { EvidenceKind } from '../../domain/evidence/evidence.js';
import { DomainError } from '../../http/domain-error.js';
import type { Upload } from './evidence-uploads.service.js';
import type { UploadedFile } from './report-reading.js';

/** What a name may hold that is shown to people. */
export const LABEL = /^[^\p{Cc}]+$/u;

/** What every upload says of itself, whatever way it comes. */
interface UploadFields {
  readonly org?: string;
  readonly repo: string;
  readonly version: string;
  readonly pipeline: string;
  readonly environment?: string;
  readonly job?: string;
  readonly metrics?: Readonly<Record<string, unknown>>;
  readonly reports?: Readonly<Record<string, unknown>>;
  readonly commit_sha?: string;
  readonly kind?: EvidenceKind;
  readonly run_url?: string;
}

/** An upload as it came, by whichever route. */
interface UploadRequest {
  readonly fields: UploadFields;
  /** Null where the sender says nothing of files. */
  readonly files: readonly UploadedFile[] | null;
  readonly idempotencyKey: string | undefined;
  readonly digest: Upload['digest'];
}

/** The upload that the service takes; refuses one that says nothing. */
export function uploadOf({ fields, files, idempotencyKey, digest }: UploadRequest): Upload {
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
    idempotencyKey: idempotencyKey ?? null,
    content: { kind, metrics: metrics ?? {}, reports: reports ?? {}, files: files ?? [] },
    digest,
  };
}
