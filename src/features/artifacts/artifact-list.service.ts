import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../database/database.js';
import { artifactBinding } from '../../domain/artifact/artifact.js';
import { releaseNotFound } from '../../http/errors/domain-error.js';
import { ReleaseEvaluationService } from '../releases/evaluation/release-evaluation.service.js';
import { VerdictInputsQueries } from '../releases/evaluation/verdict-inputs.queries.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import type { ArtifactDto, ArtifactListDto } from './artifacts.dto.js';

/** Lists the artifacts of a release. It has at most a hundred. */
@Injectable()
export class ArtifactListService {
  constructor(
    private readonly database: Database,
    private readonly releases: ReleasesQueries,
    private readonly inputs: VerdictInputsQueries,
    private readonly evaluations: ReleaseEvaluationService,
  ) {}

  /** Throws `not_found` if the viewer can read no such release. */
  async list(viewer: Viewer, releaseId: string): Promise<ArtifactListDto> {
    await this.releases.assertReadable(viewer, releaseId);
    return this.database.asViewer(viewer, async (tx) => {
      const evaluation = await this.evaluations.evaluate(tx, releaseId);
      if (!evaluation) throw releaseNotFound();
      const { artifacts: accepted = [] } = evaluation.verdict;
      const artifacts = await this.inputs.listArtifacts(tx, releaseId);
      return {
        artifacts: artifacts.toReversed().map((artifact): ArtifactDto => ({
          ...artifact,
          binding: artifactBinding(artifact),
          accepted: accepted.some(({ name, digest }) => name === artifact.name && digest === artifact.digest),
        })),
      };
    });
  }
}
