import { Injectable } from '@nestjs/common';
import { gitBlobSha } from '../../../crypto/digests.js';
import type { TenantTransaction } from '../../../database/database.js';
import { StorageQuota } from '../../evidence/storage/storage-quota.repository.js';
import type { EvidenceFile } from './evidence-documents.service.js';

/** Keeps the files of evidence pull requests, byte by byte, for whoever has to show later what was approved. */
@Injectable()
export class PublishedEvidenceRepository {
  constructor(private readonly quota: StorageQuota) {}

  /**
   * What was kept before is not kept twice. Each version lists all of the evidence again, so versions count as what is stored:
   * else small uploads one after the other would store without end.
   */
  async record(tx: TenantTransaction, releaseId: string, files: readonly EvidenceFile[], now: Date): Promise<void> {
    let storedBytes = 0;
    for (const { path, content } of files) {
      const kept = await tx.query(
        `insert into published_evidence (org_id, release_id, path, blob_sha, content, published_at)
         values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning path`,
        [tx.orgId, releaseId, path, gitBlobSha(content), content, now],
      );
      if (kept.length > 0) storedBytes += Buffer.byteLength(content);
    }
    if (storedBytes > 0) await this.quota.count(tx, storedBytes);
  }
}
