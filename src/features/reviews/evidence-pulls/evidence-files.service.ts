import { Injectable } from '@nestjs/common';
import { ServiceKeys } from '../../signing/service-keys.service.js';
import { EVIDENCE_FILES, type EvidenceContent, evidenceJson, evidencePage } from './evidence-document.js';

/** A file of an evidence pull request. */
export interface EvidenceFile {
  readonly path: string;
  readonly content: string;
}

/** Writes the files that an evidence pull request is to hold, signed by the key that is in use. */
@Injectable()
export class EvidenceFiles {
  constructor(private readonly keys: ServiceKeys) {}

  async compose(content: EvidenceContent): Promise<readonly EvidenceFile[]> {
    const paths = EVIDENCE_FILES(content.version);
    return [
      { path: paths.page, content: evidencePage(content).text },
      { path: paths.data, content: evidenceJson(content, await this.keys.signer()) },
    ];
  }
}
