import { Injectable } from '@nestjs/common';
import { gitBlobSha } from '../../../crypto/digests.js';
import type { TenantTransaction } from '../../../database/database.js';
import { StorageQuota } from '../../evidence/storage/storage-quota.repository.js';
import type { EvidenceFile } from './evidence-documents.service.js';

/** Stores the files of evidence pull requests byte by byte, as proof of the approved content. */
@Injectable()
export class PublishedEvidenceRepository {
  constructor(private readonly quota: StorageQuota) {}

  /**
   * Does not store a file twice. Each version lists all the evidence again, so versions count towards the storage limit.
   * Otherwise a series of small uploads could store without limit.
   */
  async save(tx: TenantTransaction, releaseId: string, files: readonly EvidenceFile[], now: Date): Promise<void> {
    let storedBytes = 0;
    for (const { path, content } of files) {
      const stored = await tx.query(
        `insert into published_evidence (org_id, release_id, path, blob_sha, content, published_at)
         values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning path`,
        [tx.orgId, releaseId, path, gitBlobSha(content), content, now],
      );
      if (stored.length > 0) storedBytes += Buffer.byteLength(content);
    }
    if (storedBytes > 0) await this.quota.count(tx, storedBytes);
  }
}
