import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import type { RunCoverage } from '../../domain/evidence/run-coverage.js';
import { JobHandler } from '../../jobs/job-handlers.js';
import type { JobPayload } from '../../jobs/job.js';
import { LOGGER } from '../../observability/logger.js';
import { ReleaseEvaluationService } from '../releases/evaluation/release-evaluation.service.js';
import { ReportParserService } from './parsing/report-parser.service.js';
import { RunCoverageRepository } from './run-coverage.repository.js';

/** How many bytes of encoded lines are united at once. A thread unites twice as many within its memory. */
const BYTES_AT_ONCE = 8_388_608;

type United = RunCoverage & { readonly files: Uint8Array | null };

/** Unites the coverage of the uploads of one run, so that each file counts once with the hits of all jobs. */
@Injectable()
export class RunCoverageJobs {
  constructor(
    private readonly database: Database,
    private readonly repository: RunCoverageRepository,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly parser: ReportParserService,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Unites the coverage that the verdict of the release lacks, and evaluates the release again. */
  @JobHandler('unite-coverage')
  async unite({ orgId, releaseId }: JobPayload<'unite-coverage'>): Promise<void> {
    const evaluation = await this.database.inTenant(orgId, (tx) => this.evaluations.evaluate(tx, releaseId));
    const missing = evaluation?.verdict.missingCoverage ?? [];
    if (missing.length === 0) return;
    for (const evidenceIds of missing) {
      const { files, ...coverage } = await this.uniteUploads(orgId, releaseId, evidenceIds);
      if (coverage.lines === null) this.log.warn({ orgId, releaseId }, 'coverage not united');
      await this.database.inTenant(orgId, (tx) => this.repository.save(tx, releaseId, coverage, files));
    }
    await this.database.inTenant(orgId, (tx) =>
      this.evaluations.evaluateAndSave(tx, releaseId, { cause: 'evidence', actor: 'service' }),
    );
  }

  /** Begins with what was united before, so that the work for many jobs of a run grows with their number. */
  private async uniteUploads(orgId: OrgId, releaseId: string, evidenceIds: readonly string[]): Promise<United> {
    const notUnited = { evidenceIds, lines: null, files: null };
    const { part, sizes } = await this.database.inTenant(orgId, async (tx) => ({
      part: await this.repository.findPart(tx, releaseId, evidenceIds),
      sizes: await this.repository.listSizes(tx, evidenceIds),
    }));
    const done = new Set(part?.evidenceIds);
    const waiting = evidenceIds.filter((id) => !done.has(id));
    // An upload whose release was archived meanwhile has no lines any more.
    if (waiting.some((id) => !sizes.has(id))) return notUnited;
    let files: Uint8Array | null = part?.files ?? null;
    let lines: RunCoverage['lines'] = null;
    while (waiting.length > 0) {
      const batch: string[] = [];
      for (let bytes = files?.length ?? 0; waiting.length > 0;) {
        bytes += sizes.get(waiting[0] ?? '') ?? 0;
        if (batch.length > 0 && bytes > BYTES_AT_ONCE) break;
        if (bytes > 2 * BYTES_AT_ONCE) return notUnited;
        batch.push(...waiting.splice(0, 1));
      }
      const uploads = await this.database.inTenant(orgId, (tx) => this.repository.readUploads(tx, batch));
      const union = await this.parser.uniteCoverage(orgId, files === null ? uploads : [files, ...uploads]);
      files = union.united;
      lines = union.lines;
    }
    return { evidenceIds, lines, files };
  }
}
