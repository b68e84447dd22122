import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { gitBlobSha } from '../../digest/git-blob-sha.js';
import type { EvidenceFile } from './evidence-files.service.js';

/** Keeps the files of evidence pull requests, byte by byte, for whoever has to show later what was approved. */
@Injectable()
export class PublishedEvidence {
  /** What was kept before is not kept twice. */
  async record(tx: TenantTx, releaseId: string, files: readonly EvidenceFile[], now: Date): Promise<void> {
    for (const { path, content } of files) {
      await tx.query(
        `insert into published_evidence (org_id, release_id, path, blob_sha, content, published_at)
         values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
        [tx.orgId, releaseId, path, gitBlobSha(content), content, now],
      );
    }
  }
}
